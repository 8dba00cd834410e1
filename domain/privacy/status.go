package privacy

import (
	"context"

	"astrolabe/domain"
	"astrolabe/domain/facts"
	"astrolabe/starknet"
)

// MaxAbove is how many events above the ledger's block are read for one answer.
// Counts that need more are not known.
const MaxAbove = 20_000

// NoteCaveat says what the counts of notes are not.
const NoteCaveat = "These are counts of public events. They are neither an anonymity set nor the number of unspent notes."

// StatusStore reads the standing of a chain's pools.
type StatusStore interface {
	// Standing returns the standing of the pools of a chain, all of it at one
	// moment. It looks at the newest events above the ledger, at most so many.
	Standing(ctx context.Context, c domain.Chain, most int) (Standing, error)
}

// Standing is what is stored about the pools of a chain: the counts of the
// ledger, and what the newer events add to them.
type Standing struct {
	Pools []starknet.Felt // in the order of their addresses
	// Current reports whether the events were derived by this version.
	Current bool

	// Folded and Wallets are the counts of the ledger, and FoldedThrough is the
	// place of its newest event. They are empty without a ledger.
	Folded        Counts
	Wallets       uint64
	FoldedThrough *Place

	// Above counts the events above the ledger, Unread those of them whose class
	// is not available yet, and NewWallets their wallets that the ledger does
	// not have. More reports that there are further events, which were not
	// looked at.
	Above      Counts
	Unread     uint64
	NewWallets uint64
	More       bool

	Newest    *Place // of the events of pools, nil when there is none
	NewestRaw *Place // of the events that pools emitted, whether they were derived or not
	// NewestDecoded is the newest event above the ledger whose class was
	// available, nil when none of those that were looked at is.
	NewestDecoded *Place
}

// Status is how many public events pools have, and how far they are decoded.
type Status struct {
	Pools []starknet.Felt
	// Counts and Wallets are nil when too many events are above the ledger to
	// count them for one answer.
	Counts  Counts
	Wallets *uint64 // that have set a viewing key

	Latest        *Place
	LatestDecoded *Place // nil when there is none, or when it is not known
	LatestRaw     *Place
	// LagBlocks is by how many blocks the newest decoded event is behind the
	// newest one; nil when it is not known or when there are no events.
	LagBlocks *uint64
	// Fresh reports whether every event is decoded; nil when it is not known or
	// when there are no events.
	Fresh *bool
}

// Statuses reads the status of pools.
type Statuses struct{ store StatusStore }

// NewStatuses makes the service.
func NewStatuses(store StatusStore) *Statuses { return &Statuses{store} }

// Of returns the status of the pools of a chain.
func (s *Statuses) Of(ctx context.Context, c domain.Chain) (Status, error) {
	standing, err := s.store.Standing(ctx, c, MaxAbove)
	if err != nil {
		return Status{}, err
	}
	return standing.status(), nil
}

func (s *Standing) status() Status {
	status := Status{Pools: s.Pools, Latest: s.Newest, LatestRaw: s.NewestRaw, LatestDecoded: s.NewestDecoded}
	if !s.More {
		status.Counts = Counts{}
		for _, v := range facts.PoolVariants {
			if n := s.Folded[v] + s.Above[v]; n > 0 {
				status.Counts[v] = n
			}
		}
		status.Wallets = new(s.Wallets + s.NewWallets)
		if status.LatestDecoded == nil { // the ledger has decoded events only
			status.LatestDecoded = s.FoldedThrough
		}
	}
	if s.NewestRaw == nil {
		return status
	}
	if decoded := status.LatestDecoded; decoded != nil {
		status.LagBlocks = new(s.NewestRaw.Block - min(decoded.Block, s.NewestRaw.Block))
	}
	status.Fresh = s.fresh(status.LatestDecoded)
	return status
}

// fresh reports whether every event is decoded, given the newest one that is; nil
// if it is not known.
func (s *Standing) fresh(decoded *Place) *bool {
	switch {
	case !s.Current, s.Unread > 0:
		return new(false)
	case s.More:
		return nil
	default:
		return new(decoded != nil && decoded.Compare(*s.NewestRaw) >= 0)
	}
}
