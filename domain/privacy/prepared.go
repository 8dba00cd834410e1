package privacy

import (
	"context"
	"time"

	"astrolabe/domain"
	"astrolabe/starknet"
)

// PreparedStore reads the flow ledger and what is prepared with it. Each method
// reads at one moment, and nothing but prepared rows.
type PreparedStore interface {
	// Snapshot returns the ledger of a chain and its assets by address.
	Snapshot(ctx context.Context, c domain.Chain) (LedgerView, []Asset, error)
	// Points returns the ledger and its points of the hours from one Unix time
	// to another, both included: the oldest ones, at least limit+1 of them if
	// there are so many.
	Points(ctx context.Context, c domain.Chain, from, to int64, limit int) (LedgerView, []Point, error)
	// Buckets returns the buckets of a span and the newest one before it, from
	// the oldest.
	Buckets(ctx context.Context, c domain.Chain, of SpanOf) (BucketSpan, []StoredBucket, error)
	// Series returns the same, and the same for the flows and fees of a token;
	// of each token if it is nil, flows only of the most tokens that flowed last.
	Series(ctx context.Context, c domain.Chain, of SpanOf, token *starknet.Felt, most int) (StoredSeries, error)
	// Aggregates returns the ledger, how many events it has of each variant, and
	// the assets of the most tokens that flowed last, from the newest.
	Aggregates(ctx context.Context, c domain.Chain, most int) (Aggregates, error)
}

// Prepared reads what is prepared of privacy pools from finalized blocks: the
// snapshot and the hourly points of the flow ledger, and metrics. No read
// depends on the head of the chain.
type Prepared struct {
	store PreparedStore
	now   func() time.Time
}

// NewPrepared makes the service.
func NewPrepared(store PreparedStore, now func() time.Time) *Prepared { return &Prepared{store, now} }

// maxCheckAge is the age from which on the last comparison of a ledger with the
// finalized blocks says nothing about new ones. The job compares every few
// seconds.
const maxCheckAge = time.Minute

// LedgerView is the flow ledger of a chain, and what decides whether it may be
// published.
type LedgerView struct {
	Ledger
	// Target is the newest finalized block when the ledger was last compared
	// with the finalized blocks, which was at CheckedAt.
	Target         *uint64
	CheckedAt      *time.Time
	MaterializedAt *time.Time // when the ledger last changed

	Pools  uint64 // of the chain
	Active uint64 // pools of which the ledger has events
	// Whole reports whether the index has every event of every pool: it begins
	// with block 0, or has their deployments.
	Whole bool
	// Current reports whether the events were derived by this version.
	Current bool
	// Next is the block of the first event above the ledger; nil when there is
	// none.
	Next      *uint64
	Finalized *uint64          // the newest finalized block that readers see
	L1        *domain.BlockRef // the newest block known to be accepted on L1
}

// empty reports whether there is nothing to take a snapshot of.
func (v *LedgerView) empty() bool { return v.Through == nil || v.FirstBlock == nil || v.Pools == 0 }

// waits reports whether an event up to a block is not in the ledger.
func (v *LedgerView) waits(through *uint64) bool {
	return v.Next != nil && through != nil && *v.Next <= *through
}

// behind reports whether the ledger could not reach a finalized block.
func (v *LedgerView) behind() bool { return v.Target != nil && v.Through.Number < *v.Target }

// unchecked reports whether nobody knows how far the ledger is behind: a
// finalized event waits, and nothing compares the ledger with the blocks.
func (v *LedgerView) unchecked(now time.Time) bool {
	return v.waits(v.Finalized) && (v.CheckedAt == nil || now.Sub(*v.CheckedAt) > maxCheckAge)
}

// lag returns by how many blocks the decoded events are behind; nil if nobody
// knows.
func (v *LedgerView) lag(now time.Time) *uint64 {
	switch {
	case v.unchecked(now):
		return nil
	case v.behind() && v.waits(v.Target):
		return new(*v.Target - v.Through.Number)
	default:
		return new(uint64(0))
	}
}
