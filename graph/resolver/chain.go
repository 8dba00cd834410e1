package resolver

import (
	"context"
	"slices"
	"time"

	"astrolabe/domain"
	"astrolabe/domain/chain"
	"astrolabe/domain/facts"
	"astrolabe/graph/cohort"
	"astrolabe/graph/scalar"
	"astrolabe/starknet"
)

// Chain is a chain that this deployment serves.
type Chain struct {
	ChainID domain.Chain
}

// chainType is the type of a chain's global id.
const chainType = "Chain"

// IsNode marks the chain as a Node.
func (c *Chain) IsNode() {}

// ID returns the chain's global id.
func (c *Chain) ID() string { return globalID{Type: chainType, Chain: c.ChainID}.String() }

// ChainIDFelt returns the chain ID that transaction hashes commit to: the name
// as a Cairo short string.
func (c *Chain) ChainIDFelt() starknet.Felt { return c.ChainID.ID() }

// ChainConnection is a page of chains.
type ChainConnection = Connection[*Chain]

// ChainEdge is an edge of a connection with one chain and its cursor.
type ChainEdge = Edge[*Chain]

// served returns the chain, or the error unsupported_chain.
func (r *Resolver) served(id domain.Chain) (*Chain, error) {
	if err := id.Served(r.Chains); err != nil {
		return nil, err
	}
	return &Chain{ChainID: id}, nil
}

// statusOf loads the status of a served chain, together with the statuses of all
// other served chains.
func (r *Resolver) statusOf(ctx context.Context, id domain.Chain) (*ChainStatus, error) {
	chains := scopeOf(ctx).chains
	status, err := cohort.Once(chains, chainStatuses, func() *cohort.Batch[domain.Chain, chain.Status] {
		return cohort.Load(ctx, chains.Cache, chains.Members, cohort.Fact[domain.Chain, chain.Status]{Kind: chainStatuses, Read: cohort.All(r.Statuses.Of)})
	}).Get(id)
	if err != nil {
		return nil, err
	}
	return chainStatus(status), nil
}

var chainStatuses = cohort.Kind{Name: "status of a chain"}

// chainPage returns a page of the served chains. Positions count all chains, so
// that cursors stay valid when the deployment serves another chain.
func (r *Resolver) chainPage(page domain.PageRequest) domain.Page[*Chain] {
	var seen uint64
	if page.After != nil {
		seen = page.After[0]
	}
	var chains []*Chain
	for _, id := range domain.Chains[min(seen, uint64(len(domain.Chains))):] {
		if slices.Contains(r.Chains, id) {
			chains = append(chains, &Chain{ChainID: id})
		}
	}
	if len(chains) > page.Limit {
		chains = chains[:page.Limit+1]
	}
	return domain.CutPage(chains, page.Limit, chainPosition)
}

// chainPosition is the number of chains up to and including this one.
func chainPosition(c *Chain) domain.Position {
	return domain.Position{uint64(slices.Index(domain.Chains, c.ChainID)) + 1}
}

// ChainStatus holds the chain head, finality and indexing status at one moment.
type ChainStatus struct {
	ChainID                     domain.Chain
	HeadBlockNumber             *uint64
	HeadBlockHash               *starknet.Felt
	FinalizedBlockNumber        *uint64
	FinalityDepth               uint64
	LatestL1AcceptedBlockNumber *uint64
	LatestIndexedBlockNumber    *uint64
	EarliestIndexedBlockNumber  *uint64
	IndexedBlockSpan            *uint64
	LagBlocks                   *uint64
	L1Finality                  L1Finality
	Indexer                     Indexer
	Verification                IndexVerification
	AsOf                        time.Time
}

// L1Finality is the L1 acceptance watermark.
type L1Finality struct {
	WatermarkBlockNumber *uint64
	WatermarkAgeSeconds  *uint64
}

// Indexer is the state of the indexer of a chain.
type Indexer struct {
	State      chain.IndexState
	ReasonCode *string
	Progress   *BackfillProgress
}

// BackfillProgress is the progress of a backfill.
type BackfillProgress struct {
	FromBlock, ToBlock, DoneBlocks uint64
	EtaSeconds                     *uint64
}

// IndexVerification is how far the indexed blocks of a chain were checked.
type IndexVerification struct {
	Level                scalar.Enum
	VerifiedThroughBlock *uint64
}

func chainStatus(s chain.Status) *ChainStatus {
	status := &ChainStatus{
		ChainID:       s.Chain,
		FinalityDepth: s.Head.Depth,
		Indexer:       Indexer{State: s.Head.State},
		Verification:  IndexVerification{Level: scalar.Enum(facts.Unverified)},
		AsOf:          s.AsOf,
	}
	if s.Head.ReasonCode != "" {
		status.Indexer.ReasonCode = &s.Head.ReasonCode
	}
	if b := s.Head.Backfill; b != nil {
		status.Indexer.Progress = &BackfillProgress{FromBlock: b.From, ToBlock: b.To, DoneBlocks: b.Done, EtaSeconds: b.LeftSeconds()}
	}
	if head := s.Head.Block; head != nil {
		status.HeadBlockNumber, status.HeadBlockHash = &head.Number, &head.Hash
	}
	if seen := s.Head.Coverage; seen != nil {
		status.FinalizedBlockNumber = seen.Finalized
		status.EarliestIndexedBlockNumber, status.LatestIndexedBlockNumber = &seen.First, &seen.Last
		status.IndexedBlockSpan = new(seen.Blocks())
		status.Verification = IndexVerification{Level: scalar.Enum(seen.Verification), VerifiedThroughBlock: seen.VerifiedThrough}
	}
	if lag, known := s.Lag(); known {
		status.LagBlocks = &lag
	}
	status.LatestL1AcceptedBlockNumber, status.L1Finality.WatermarkBlockNumber = s.Head.L1, s.Head.L1
	if age, known := s.L1AgeSeconds(); known {
		status.L1Finality.WatermarkAgeSeconds = &age
	}
	return status
}

// Chain returns a chain.
func (r *Query) Chain(_ context.Context, id domain.Chain) (*Chain, error) {
	return r.resolver.served(id)
}

// Chains lists the chains that this deployment serves.
func (r *Query) Chains(ctx context.Context, first *int, after *string) (*ChainConnection, error) {
	l, err := r.resolver.list(ctx, "", first, after)
	if err != nil {
		return nil, err
	}
	page := sliceOf(r.resolver.chainPage(l.request), chainPosition, func(c *Chain) *Chain { return c })
	return &ChainConnection{slice: page, list: l, count: exactly(len(r.resolver.Chains))}, nil
}

// Status returns the chain head, finality and indexing status.
func (r *Query) Status(ctx context.Context, id domain.Chain) (*ChainStatus, error) {
	if _, err := r.resolver.served(id); err != nil {
		return nil, err
	}
	return r.resolver.statusOf(ctx, id)
}

// Status returns the chain head, finality and indexing status.
func (r *ChainEdges) Status(ctx context.Context, c *Chain) (*ChainStatus, error) {
	return r.resolver.statusOf(ctx, c.ChainID)
}
