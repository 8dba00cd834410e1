package privacy

import (
	"context"
	"time"

	"astrolabe/domain"
)

// Snapshot is the flow ledger of a chain as of its newest block.
type Snapshot struct {
	Status LedgerStatus
	Reason LedgerReason

	AsOf           *LedgerBlock // nil when unavailable
	MaterializedAt *time.Time

	// L1 is the newest block known to be accepted on L1, and L1Accepted whether
	// AsOf is too. Both are nil without evidence.
	L1         *domain.BlockRef
	L1Accepted *bool

	From        *uint64 // the block of the first event
	LatestFlow  *Place
	LatestEvent *Place
	Missing     uint64 // flows without an amount
	// Fresh reports whether every finalized event that is known is in the
	// ledger, and LagBlocks by how many blocks it is behind; nil if nobody knows.
	Fresh     bool
	LagBlocks *uint64

	Pools  uint64  // with events
	Assets []Asset // each token that ever flowed, by address
}

// Snapshot returns the ledger of a chain. Only a complete one may be published.
func (p *Prepared) Snapshot(ctx context.Context, c domain.Chain) (Snapshot, error) {
	view, assets, err := p.store.Snapshot(ctx, c)
	if err != nil {
		return Snapshot{}, err
	}
	return view.snapshot(assets, p.now()), nil
}

func (v *LedgerView) snapshot(assets []Asset, now time.Time) Snapshot {
	if v.empty() {
		return Snapshot{Status: Unavailable, Reason: ReasonNoSnapshot}
	}
	s := Snapshot{
		Status: Degraded, AsOf: v.Through, MaterializedAt: domain.MillisecondsOrNil(v.MaterializedAt), L1: v.L1,
		From: v.FirstBlock, LatestFlow: v.Flow, LatestEvent: v.Event, Missing: v.Missing,
		Fresh: !v.behind() && !v.unchecked(now), LagBlocks: v.lag(now), Pools: v.Active, Assets: assets,
	}
	if v.L1 != nil {
		s.L1Accepted = new(v.Through.Number <= v.L1.Number)
	}
	switch {
	case v.incomplete(v.Missing, assets):
		s.Reason = ReasonIncomplete
	case v.behind():
		s.Reason = ReasonLag
	case v.unchecked(now):
		s.Reason = ReasonFreshness
	default:
		s.Status, s.Reason = Complete, ReasonLedger
	}
	return s
}
