package transaction

import (
	"context"
	"time"

	"astrolabe/domain"
	"astrolabe/domain/chain"
	"astrolabe/domain/event"
	"astrolabe/domain/facts"
	"astrolabe/domain/token"
	"astrolabe/starknet"
)

// Detail is a transaction with its calls, events, transfers and messages. They
// are shared and must not be modified.
type Detail struct {
	*chain.Transaction
	Calls     []chain.AccountCall // nil when the calldata cannot be parsed
	Logs      domain.Page[event.Row]
	Degraded  bool // the logs come without the attribution that they may have
	Transfers []token.Transfer
	Messages  []chain.Message
}

// Parts are the stored rows of a transaction other than the transaction itself.
type Parts struct {
	Events    []event.Row
	Transfers []token.Transfer
	Messages  []chain.Message
	// Attribution decodes the events. Its classes include those of the called
	// contracts.
	Attribution event.Attribution
	// Functions are the names of the selectors in question.
	Functions map[starknet.Felt]string
}

// callAnswers returns the lookups for decoding calls.
func (p *Parts) callAnswers(asked chain.CallLookups) chain.CallAnswers {
	answers := chain.CallAnswers{Classes: make([]facts.ClassHistory, len(asked.Contracts)), Names: make([]string, len(asked.Selectors))}
	for i, contract := range asked.Contracts {
		answers.Classes[i] = p.Attribution.Classes[contract]
	}
	for i, selector := range asked.Selectors {
		answers.Names[i] = p.Functions[selector]
	}
	return answers
}

// Store reads the parts of transactions.
type Store interface {
	// PartsOf returns the parts of a transaction in order, in one snapshot: up
	// to logLimit+1 events or more, and what is needed to decode its calls and
	// events.
	PartsOf(ctx context.Context, c domain.Chain, tx *chain.TxFacts, asked chain.CallLookups, logLimit int) (Parts, error)
}

// Services are the dependencies of Details.
type Services struct {
	Store        Store
	Statuses     *chain.Statuses
	Blocks       *chain.Blocks
	Transactions *chain.Transactions
	Events       *event.Events
	Transfers    *token.Transfers
	Cache        *chain.Cache
	// Nodes know transactions that the index does not hold.
	Nodes map[domain.Chain]chain.Node
}

// Details answers which calls, events, transfers and messages transactions have.
type Details struct {
	Services
	asking chan struct{} // limits concurrent lookups at the node
}

// NewDetails makes the service.
func NewDetails(s Services) *Details {
	return &Details{Services: s, asking: make(chan struct{}, nodeQuestions)}
}

// attempts is how often a transaction is read again after a reorg replaced its
// block between two reads.
const attempts = 3

// ByHash returns a transaction with its first logs, at most logLimit. It is
// not_found if it is not indexed; the message begins with pending_indexing if
// the node has it.
func (s *Details) ByHash(ctx context.Context, c domain.Chain, hash starknet.Felt, logLimit int) (*Detail, error) {
	horizon, err := s.Statuses.Horizon(ctx, c)
	if err != nil {
		return nil, err
	}
	key := chain.CacheKey{Kind: chain.CachedDetail, Chain: c, Hash: hash, Limit: logLimit}
	if known, ok := s.recall(key, horizon); ok {
		return known, nil
	}
	for range attempts {
		found, err := s.Transactions.ByHash(ctx, c, []starknet.Felt{hash})
		if err != nil {
			return nil, err
		}
		if found[0] == nil {
			return nil, s.absent(ctx, c, hash, horizon)
		}
		whole, err := s.whole(ctx, c, found[0], logLimit, horizon)
		if err != nil {
			return nil, err
		}
		same, err := s.still(ctx, c, found[0].Tier, found[0].Block)
		if err != nil {
			return nil, err
		}
		if same {
			s.remember(key, horizon, whole)
			return whole, nil
		}
	}
	return nil, chain.Replaced()
}

// whole reads the parts of a transaction in one statement, and then decodes its
// logs, which may fail separately.
func (s *Details) whole(ctx context.Context, c domain.Chain, tx *chain.Transaction, logLimit int, h chain.Horizon) (*Detail, error) {
	asked := chain.PrepareCalls([]*chain.TxFacts{tx.TxFacts})
	parts, err := s.Store.PartsOf(ctx, c, tx.TxFacts, asked.Lookups, logLimit)
	if err != nil {
		return nil, err
	}
	calls, err := s.Transactions.DecodeCalls(ctx, c, asked, parts.callAnswers(asked.Lookups))
	if err != nil {
		return nil, err
	}
	logs, degraded, err := s.Events.Page(ctx, c, parts.Events, logLimit, parts.Attribution)
	if err != nil {
		return nil, err
	}
	for i := range parts.Transfers {
		parts.Transfers[i].Tier = h.Tier(parts.Transfers[i].Block)
	}
	return &Detail{tx, calls[0], logs, degraded, parts.Transfers, h.Messages(parts.Messages)}, nil
}

// still reports whether the blocks are still indexed. Final ones cannot have
// been replaced.
func (s *Details) still(ctx context.Context, c domain.Chain, tier chain.Tier, blocks ...domain.BlockRef) (bool, error) {
	if tier == chain.FinalizedTier || len(blocks) == 0 {
		return true, nil
	}
	return s.Blocks.Still(ctx, c, blocks)
}

// remembered is a transaction as it was read at a time.
type remembered struct {
	whole *Detail
	until time.Time
}

// displayTime is how long a remembered transaction is served: token metadata can
// change without a new epoch.
const displayTime = time.Minute

func (s *Details) recall(key chain.CacheKey, h chain.Horizon) (*Detail, bool) {
	known, ok := s.Cache.Recall(key, h)
	if !ok {
		return nil, false
	}
	r := known.(*remembered)
	if time.Now().After(r.until) {
		return nil, false
	}
	current := *r.whole
	current.Transaction = &chain.Transaction{
		TxFacts:  r.whole.TxFacts,
		Finality: h.Finality(r.whole.Block.Number), Tier: h.Tier(r.whole.Block.Number),
	}
	current.Messages = h.Messages(r.whole.Messages)
	return &current, true
}

func (s *Details) remember(key chain.CacheKey, h chain.Horizon, whole *Detail) {
	if whole.Degraded {
		return
	}
	s.Cache.Remember(key, h, whole.Block.Number, &remembered{whole, time.Now().Add(displayTime)}, whole.weight())
}

// weight is about how many bytes the parts take.
func (d *Detail) weight() int {
	const felt, field = len(starknet.Felt{}), 250
	bytes := 1100 + felt*d.Felts() + len(d.RevertReason)
	for i := range d.Calls {
		bytes += 200 + field*len(d.Calls[i].Inputs)
	}
	for i := range d.Logs.Items {
		log := &d.Logs.Items[i]
		bytes += 400 + felt*(len(log.Keys)+len(log.Data)) + field*len(log.Fields)
	}
	for i := range d.Messages {
		bytes += 500 + felt*len(d.Messages[i].Payload)
	}
	return bytes + 600*len(d.Transfers)
}
