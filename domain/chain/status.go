package chain

import (
	"context"
	"time"

	"astrolabe/cache"
	"astrolabe/domain"
	"astrolabe/domain/facts"
	"astrolabe/starknet"
)

// IndexState is the state of a chain's indexer.
type IndexState string

// The states of an index.
const (
	Following   IndexState = "following"
	Backfilling IndexState = "backfilling"
	RateLimited IndexState = "rate_limited" // it waits for the rate limit of its node
	Halted      IndexState = "halted"
)

// Reason codes of a halted indexer. It checks the reason again on every
// iteration, and resumes by itself.
const (
	ReasonNoIndexer           = "no_indexer"               // no index process has run yet, or its lease ran out
	ReasonNodeUnavailable     = "node_unavailable"         // the node does not answer
	ReasonWrongChain          = "wrong_chain"              // the node answers for another chain
	ReasonNodeVersion         = "node_version_unsupported" // the node speaks an unsupported version of the specification
	ReasonNodePruned          = "node_pruned"              // the node has the head, but not the blocks or state that are needed
	ReasonNodeInvalidAnswer   = "node_invalid_answer"      // an answer is incomplete or malformed
	ReasonNodeInconsistent    = "node_inconsistent"        // answers contradict one another
	ReasonNodeQuorum          = "node_quorum"              // too few upstreams agree on a block's hash
	ReasonClassUnavailable    = "class_unavailable"        // the node does not have a class that its blocks name
	ReasonReorgBelowFinalized = "reorg_below_finalized"    // the chain changed below the finalized tier; see rollback
	ReasonReorgBelowL1        = "reorg_below_l1_accepted"  // the chain changed below a block that was accepted on L1; see rollback
	ReasonBlockTooLarge       = "block_too_large"          // a block is beyond what can be stored
	ReasonRederive            = "rederive_required"        // stored rows are of another version or of other privacy pools; see rederive
	ReasonReindex             = "reindex_required"         // stored rows lack fields that only the node has; see rollback
	ReasonStorageFull         = "storage_full"             // the database has no room left
	ReasonStorageReadOnly     = "storage_read_only"        // the database takes no writes
	ReasonStorageUnavailable  = "storage_unavailable"      // the database does not answer
	ReasonInternal            = "internal_error"           // any other error; see the log
)

// FinalityDepth is the number of blocks above a block from which on it counts
// as final here, unless the operator chose another.
const FinalityDepth = 20

// Head is the head of the chain as last seen by the leading indexer process.
type Head struct {
	State      IndexState
	ReasonCode string           // empty while nothing is wrong
	Block      *domain.BlockRef // nil until the node has answered once
	L1         *uint64          // the newest block accepted on L1; nil while unknown
	L1Hash     *starknet.Felt   // its hash; nil while unknown
	L1Since    time.Time        // when L1 was seen to move last; zero while unknown
	Depth      uint64           // how many blocks above a block make it final
	ObservedAt time.Time
	Led        bool      // an index process holds the chain's lease now
	ReadOnly   bool      // the database takes no writes now
	Stale      bool      // Block is older than State: the node did not answer since
	Coverage   *Coverage // nil while readers can see no block
	Epoch      uint64    // of the facts of final blocks, which an operator can change
	Backfill   *Backfill // nil while no backfill is under way
}

// Backfill is the progress of a backfill: from nothing of what was missing when the
// leading process began, to all of it with its indexes.
type Backfill struct {
	From, To uint64 // the missing blocks, both included
	// Done is how many of them are done. A block that is loaded, but has no indexes
	// yet, counts as three quarters.
	Done uint64
	Left *time.Duration // estimated; nil while unknown
}

// Share is the part that is done, from 0 to 1.
func (b Backfill) Share() float64 { return min(1, float64(b.Done)/float64(b.To-b.From+1)) }

// LeftSeconds is the estimated time until it is done, nil while unknown.
func (b Backfill) LeftSeconds() *uint64 {
	if b.Left == nil {
		return nil
	}
	return new(uint64(max(0, *b.Left) / time.Second))
}

// Coverage is the blocks that readers can see, both ends included.
type Coverage struct {
	First, Last uint64
	Finalized   *uint64        // the newest one of the finalized tier; nil when there is none
	Tip         *starknet.Felt // the hash of the last one; nil while it is not known
	// Verification is the least level that any of them reached.
	Verification facts.Verification
	// VerifiedThrough is the newest block up to which all are fully verified;
	// nil when the first one is not.
	VerifiedThrough *uint64
}

// Blocks is how many blocks readers can see; none is missing in between.
func (c *Coverage) Blocks() uint64 { return c.Last - c.First + 1 }

// Status is the head, finality and indexing status of a chain at one moment.
type Status struct {
	Chain domain.Chain
	Head  Head
	AsOf  time.Time // in the precision of domain.Milliseconds
}

// Heads keeps the newest head of each chain.
type Heads interface {
	// Heads returns the last recorded head of every chain that has one.
	Heads(ctx context.Context) (map[domain.Chain]Head, error)
}

// Statuses reads the status of chains.
type Statuses struct {
	heads    Heads
	freshFor time.Duration
	now      func() time.Time

	known *cache.Loading[string, reading] // under one key
}

// reading is the heads of all chains as they were read at a time.
type reading struct {
	heads map[domain.Chain]Head
	at    time.Time
}

const (
	oneReading = ""
	// readTime bounds a read that several callers wait for.
	readTime = 5 * time.Second
)

// NewStatuses makes the service over stored heads. It caches them for freshFor;
// AsOf is the time of the read.
func NewStatuses(heads Heads, freshFor time.Duration) *Statuses {
	s := &Statuses{heads: heads, freshFor: freshFor, now: time.Now}
	s.known = cache.NewLoading(1, func() time.Time { return s.now() }, s.load)
	return s
}

func (s *Statuses) load(ctx context.Context, _ string) (reading, error) {
	ctx, cancel := context.WithTimeout(ctx, readTime)
	defer cancel()
	at := domain.Milliseconds(s.now())
	heads, err := s.heads.Heads(ctx)
	return reading{heads, at}, err
}

// Renew invalidates the cached heads, also those of a read in progress.
func (s *Statuses) Renew() { s.known.Forget(oneReading) }

// Of returns the status of each chain, in order, with one read. A chain without
// a leading indexer is halted with the reason no_indexer, so that an outdated
// head is never reported as current.
func (s *Statuses) Of(ctx context.Context, chains []domain.Chain) ([]Status, error) {
	heads, readAt, err := s.read(ctx)
	if err != nil {
		return nil, err
	}
	statuses := make([]Status, len(chains))
	for i, c := range chains {
		head := heads[c]
		switch {
		case !head.Led && head.ReadOnly: // which keeps any index from leading
			head.State, head.ReasonCode = Halted, ReasonStorageReadOnly
		case !head.Led:
			head.State, head.ReasonCode = Halted, ReasonNoIndexer
		}
		if head.Depth == 0 {
			head.Depth = FinalityDepth
		}
		statuses[i] = Status{Chain: c, Head: head, AsOf: readAt}
	}
	return statuses, nil
}

// Lag is how many blocks readers see less than the node has, and false while
// that is not known: also when the last known head is an old one.
func (s Status) Lag() (uint64, bool) {
	if s.Head.Block == nil || s.Head.Coverage == nil || !s.Head.Led || s.Head.Stale {
		return 0, false
	}
	if s.Head.Block.Number <= s.Head.Coverage.Last { // the node is behind
		return 0, true
	}
	return s.Head.Block.Number - s.Head.Coverage.Last, true
}

// L1AgeSeconds is for how many whole seconds the L1 watermark has not moved,
// and false while it is not known.
func (s Status) L1AgeSeconds() (uint64, bool) {
	if s.Head.L1 == nil || s.Head.L1Since.IsZero() {
		return 0, false
	}
	return uint64(max(0, s.AsOf.Sub(s.Head.L1Since)) / time.Second), true
}

// read returns the heads and the moment at which they were read. Callers that
// come while one reads wait for its answer instead of reading again, but no
// longer than their own time allows.
func (s *Statuses) read(ctx context.Context) (map[domain.Chain]Head, time.Time, error) {
	if m, ok := ctx.Value(momentKey{}).(*moment); ok {
		return m.of(ctx, s)
	}
	return s.look(ctx)
}

// look reads the heads if they are not cached.
func (s *Statuses) look(ctx context.Context) (map[domain.Chain]Head, time.Time, error) {
	known, err := s.known.Get(ctx, oneReading, s.freshFor)
	return known.heads, known.at, err
}
