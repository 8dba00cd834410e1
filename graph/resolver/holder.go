package resolver

import (
	"astrolabe/domain"
	"astrolabe/domain/token"
	"astrolabe/graph/cohort"
	"astrolabe/graph/scalar"
	"astrolabe/starknet"
	"context"
	"time"

	"github.com/graph-gophers/dataloader/v7"
)

// Holder is a holder of a token in a census.
type Holder struct {
	onChain
	membership[*Holder]
	row token.Holder
}

// Rank returns the rank by balance, then by address, starting at 1.
func (h *Holder) Rank() int { return int(h.row.Rank) }

// Address returns the address of the holder.
func (h *Holder) Address() starknet.Felt { return h.row.Address }

// BalanceRaw returns the balance in the smallest unit.
func (h *Holder) BalanceRaw() domain.Amount { return h.row.Balance }

// LastUpdatedBlock returns the newest block with a transfer from or to the
// address.
func (h *Holder) LastUpdatedBlock() uint64 { return h.row.Updated }

// Account returns the holder as an address, with its activity and label.
func (h *Holder) Account(context.Context) (*Address, error) {
	return toAddress(h, "Holder.account", requiredKey((*Holder).Address))
}

// CensusCertification is the certification of a census generation.
type CensusCertification struct {
	Status     scalar.Enum
	CheckedAt  *time.Time
	ReasonCode *string
}

func certificationOf(g *token.Generation) CensusCertification {
	return CensusCertification{scalar.Enum(g.Status), new(g.Checked()), textOrNil(g.Reason)}
}

// HolderConnection is a page of a holder census.
type HolderConnection struct {
	Connection[*Holder]
	HolderCount           *int
	HolderBalanceTotalRaw *domain.Amount
	GenerationID          string
	AsOfBlock             uint64
	AsOfBlockHash         starknet.Felt
	RowDigest             *string
	ExpiresAt             time.Time
	Completeness          scalar.Enum
	Certification         CensusCertification
}

// HolderEdge is an edge of a connection with one holder and its cursor.
type HolderEdge = Edge[*Holder]

// censusSlice is a page of a census.
type censusSlice struct {
	slice[*Holder]
	generation *token.Generation
}

// Holders returns all holders at the block of the census, largest first.
func (t *Token) Holders(ctx context.Context, first *int, after *string) (*HolderConnection, error) {
	page, l, err := toMany(ctx, t, first, after, (*Token).TokenAddress, t.holdersOfTokens())
	if err != nil {
		return nil, err
	}
	g := page.generation
	l.expires = g.ExpiresAt
	c := &HolderConnection{
		Connection: Connection[*Holder]{slice: page.slice, list: l}, GenerationID: g.Name(), AsOfBlock: g.Block.Number, AsOfBlockHash: g.Block.Hash,
		ExpiresAt: g.ExpiresAt, Completeness: scalar.Enum(g.Completeness()), Certification: certificationOf(g),
	}
	if s := g.Snapshot; s != nil {
		c.HolderCount, c.HolderBalanceTotalRaw, c.count = new(int(s.Holders)), &s.Total, exactly(int(s.Holders))
		c.RowDigest = new(s.RowDigest())
	}
	return c, nil
}

// holdersOfTokens pages through each token's holders.
func (on onChain) holdersOfTokens() pager[starknet.Felt, token.HolderPage, censusSlice] {
	return pager[starknet.Felt, token.HolderPage, censusSlice]{
		func(page domain.PageRequest) dataloader.BatchFunc[starknet.Felt, token.HolderPage] {
			return cohort.Each(func(ctx context.Context, tokens []starknet.Felt) ([]*dataloader.Result[token.HolderPage], error) {
				requests := convert(tokens, func(of starknet.Felt) token.HolderRequest { return token.HolderRequest{Token: of, After: page.After} })
				found, err := on.resolver.Censuses.Holders(ctx, on.chain, requests, page.Limit)
				return convert(found, holderResult), err
			})
		},
		on.censusSlices,
	}
}

// screenings looks up the largest holders of tokens.
func (on onChain) screenings() lookup[starknet.Felt, token.HolderPage, censusSlice] {
	read := cohort.Each(func(ctx context.Context, tokens []starknet.Felt) ([]*dataloader.Result[token.HolderPage], error) {
		found, err := on.resolver.Censuses.Screening(ctx, on.chain, tokens)
		return convert(found, holderResult), err
	})
	return lookup[starknet.Felt, token.HolderPage, censusSlice]{
		cohort.Fact[starknet.Felt, token.HolderPage]{Kind: on.kind("screening of a token"), Read: read}, on.censusSlices,
	}
}

// holderResult is a page of a census, or why the token has none.
func holderResult(page token.HolderPage) *dataloader.Result[token.HolderPage] {
	return &dataloader.Result[token.HolderPage]{Data: page, Error: page.Err}
}

func (on onChain) censusSlices(b *cohort.Batch[starknet.Felt, token.HolderPage]) []censusSlice {
	pages := convert(b.Values, func(f token.HolderPage) domain.Page[token.Holder] { return f.Page })
	list := slicesOf(b.Cache, pages, nil, func(_ int, row token.Holder) *Holder { return &Holder{onChain: on, row: row} })
	slices := make([]censusSlice, len(list))
	for i, s := range list {
		s.at = func(j int) domain.Position { return b.Values[i].Generation.Position(pages[i].Items[j]) }
		slices[i] = censusSlice{s, b.Values[i].Generation}
	}
	return slices
}

// HolderScreening holds the largest holders of a token, without a claim that the
// list is complete.
type HolderScreening struct {
	GenerationID       string
	AsOfBlock          uint64
	PopulationComplete bool // never a claim
	Certification      CensusCertification
	Items              []*Holder
}

// HolderScreening returns the largest holders, without a claim that the list is
// complete.
func (t *Token) HolderScreening(ctx context.Context) (*HolderScreening, error) {
	page, err := toOne(ctx, t, "Token.holderScreening", requiredKey((*Token).TokenAddress), t.screenings())
	if err != nil {
		return nil, err
	}
	g := page.generation
	return &HolderScreening{GenerationID: g.Name(), AsOfBlock: g.Block.Number, Certification: certificationOf(g), Items: page.items}, nil
}

// HolderAnalytics holds the holder concentration metrics of a certified census
// generation.
type HolderAnalytics struct {
	GenerationID         string
	AsOfBlock            uint64
	AsOfBlockHash        starknet.Felt
	RowDigest            string
	ValidatedAgainst     string
	Top5, Top10, Top100  HolderShare
	GiniPpm              int
	Nakamoto50Count      *int
	HoldersAbove1Percent int
	TierDistribution     []HolderTier
}

// HolderShare is the combined balance of a group of holders.
type HolderShare struct {
	BalanceRaw domain.Amount
	ShareBps   int
}

// HolderTier counts the holders by share of the total supply: at least
// minShareBps, and less than the tier above.
type HolderTier struct {
	Tier        string
	MinShareBps int
	Count       int
	BalanceRaw  domain.Amount
}

// HolderAnalytics returns the holder concentration metrics.
func (t *Token) HolderAnalytics(ctx context.Context) (*HolderAnalytics, error) {
	census, err := loadFact(ctx, t, (*Token).TokenAddress, factOf(t.onChain, "census of a token", t.resolver.Censuses.Of))
	if err != nil {
		return nil, err
	}
	g, err := census.Certified()
	if err != nil {
		return nil, err
	}
	facts := g.Snapshot.Analytics
	share := func(s token.Share) HolderShare { return HolderShare{s.Balance, int(s.Bps)} }
	analytics := &HolderAnalytics{
		GenerationID: g.Name(), AsOfBlock: g.Block.Number, AsOfBlockHash: g.Block.Hash, RowDigest: g.Snapshot.RowDigest(),
		ValidatedAgainst: token.AnalyticsValidation,
		Top5:             share(facts.Top5), Top10: share(facts.Top10), Top100: share(facts.Top100),
		GiniPpm: int(facts.GiniPpm), HoldersAbove1Percent: int(facts.Above1Percent),
		TierDistribution: convert(facts.Tiers, func(t token.Tier) HolderTier {
			return HolderTier{t.Name, int(t.MinShareBps), int(t.Count), t.Balance}
		}),
	}
	if facts.Nakamoto50 != nil {
		analytics.Nakamoto50Count = new(int(*facts.Nakamoto50))
	}
	return analytics, nil
}
