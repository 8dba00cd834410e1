package chain

import (
	"context"
	"errors"
	"time"

	"astrolabe/domain"
)

// IndexState tells what the index of a chain is doing.
type IndexState string

// The states of an index.
const (
	Following   IndexState = "following"
	Backfilling IndexState = "backfilling"
	Halted      IndexState = "halted"
)

// Reason codes of a halted index.
const (
	ReasonNoIndexer       = "no_indexer"       // no index process has run yet, or its lease ran out
	ReasonNodeUnavailable = "node_unavailable" // the node does not answer
	ReasonWrongChain      = "wrong_chain"      // the node answers for another chain
)

// FinalityDepth is the number of blocks above a block from which on it counts
// as final here.
const FinalityDepth = 20

// ErrWrongChain means that a node answers for another chain than the one it
// was configured for.
var ErrWrongChain = errors.New("the node answers for another chain")

// Head is what the leading index process last learned of its chain's node.
type Head struct {
	State      IndexState
	ReasonCode string           // empty while nothing is wrong
	Block      *domain.BlockRef // nil until the node has answered once
	ObservedAt time.Time
	Led        bool // an index process holds the chain's lease now
}

// Status is how a chain stands at one moment.
type Status struct {
	Chain         domain.Chain
	Head          Head
	FinalityDepth uint64
	AsOf          time.Time
}

// Heads keeps the newest head of each chain.
type Heads interface {
	// Heads returns the last recorded head of every chain that has one.
	Heads(ctx context.Context) (map[domain.Chain]Head, error)
}

// Statuses answers how chains stand.
type Statuses struct {
	heads    Heads
	freshFor time.Duration
	now      func() time.Time

	turn   chan struct{} // held by whoever reads or looks at what was read
	known  map[domain.Chain]Head
	readAt time.Time
}

// NewStatuses makes the service over stored heads. What it has read it may
// answer from for as long as freshFor; an answer's AsOf is always honest.
func NewStatuses(heads Heads, freshFor time.Duration) *Statuses {
	return &Statuses{heads: heads, freshFor: freshFor, now: time.Now, turn: make(chan struct{}, 1)}
}

// Of returns the status of each chain asked for, in their order, from one
// read. A chain whose index nobody leads is halted with the reason no_indexer:
// an old head is never passed off as a live one.
func (s *Statuses) Of(ctx context.Context, chains []domain.Chain) ([]Status, error) {
	heads, readAt, err := s.read(ctx)
	if err != nil {
		return nil, err
	}
	statuses := make([]Status, len(chains))
	for i, c := range chains {
		head := heads[c]
		if !head.Led {
			head.State, head.ReasonCode = Halted, ReasonNoIndexer
		}
		statuses[i] = Status{Chain: c, Head: head, FinalityDepth: FinalityDepth, AsOf: readAt}
	}
	return statuses, nil
}

// read returns the heads and the moment at which they were read. Callers that
// come while one reads wait for its answer instead of reading again, but no
// longer than their own time allows.
func (s *Statuses) read(ctx context.Context) (map[domain.Chain]Head, time.Time, error) {
	select {
	case s.turn <- struct{}{}:
		defer func() { <-s.turn }()
	case <-ctx.Done():
		return nil, time.Time{}, ctx.Err()
	}
	now := s.now().UTC()
	if s.known != nil && now.Sub(s.readAt) < s.freshFor {
		return s.known, s.readAt, nil
	}
	heads, err := s.heads.Heads(ctx)
	if err != nil {
		return nil, time.Time{}, err
	}
	s.known, s.readAt = heads, now
	return heads, now, nil
}
