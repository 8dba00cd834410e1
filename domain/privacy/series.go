package privacy

import (
	"cmp"
	"context"
	"time"

	"astrolabe/domain"
)

// Point is the ledger at the end of an hour: after the last block before it.
type Point struct {
	Hour           int64 // its start, in Unix seconds
	Block          LedgerBlock
	MaterializedAt time.Time
	LatestFlow     *Place
	// Pools counts those with events, Tokens those that had flowed, and Missing
	// the flows without an amount.
	Pools, Tokens, Missing uint64
	// Assets are those with a net that is not zero, or with missing amounts, by
	// address.
	Assets []Asset

	Status LedgerStatus
	Reason LedgerReason
}

// Points returns a page of the points of the hours that begin from one time to
// another, both included, from the oldest. Both times must be the start of an
// hour. An hour without a point is unknown, not zero.
func (p *Prepared) Points(ctx context.Context, c domain.Chain, from, to time.Time, page domain.PageRequest) (domain.Page[Point], error) {
	if err := cmp.Or(startsHour("from", from), startsHour("to", to)); err != nil {
		return domain.Page[Point]{}, err
	}
	if from.After(to) {
		return domain.Page[Point]{}, domain.Errorf(domain.CodeInvalidRequest, "%s must not be later than %s, got %s and %s.",
			domain.Argument("from"), domain.Argument("to"), from.Format(time.RFC3339), to.Format(time.RFC3339))
	}
	first := from.Unix()
	if len(page.After) == 1 {
		first = (int64(page.After[0]) + 1) * hourSeconds
	}
	view, points, err := p.store.Points(ctx, c, first, to.Unix(), page.Limit)
	if err != nil || view.empty() {
		return domain.Page[Point]{}, err
	}
	for i := range points {
		points[i].judge(&view)
	}
	return domain.CutPage(points, page.Limit, Point.Position), nil
}

// startsHour refuses a time that is not the start of an hour.
func startsHour(name domain.Argument, at time.Time) error {
	if at.Truncate(time.Hour).Equal(at) {
		return nil
	}
	return domain.Errorf(domain.CodeInvalidRequest, "%s must be the start of an hour in UTC, got %s.", name, at.UTC().Format(time.RFC3339Nano))
}

// judge decides whether the point may be published. What the index lacks now, it
// lacked when the point was prepared.
func (p *Point) judge(v *LedgerView) {
	p.MaterializedAt = domain.Milliseconds(p.MaterializedAt)
	p.Status, p.Reason = Complete, ReasonLedger
	if v.incomplete(p.Missing, p.Assets) {
		p.Status, p.Reason = Degraded, ReasonIncomplete
	}
}

// Position is the place of a point in its list: the number of the hour, because
// positions begin with a small number.
func (p Point) Position() domain.Position { return domain.Position{uint64(p.Hour / hourSeconds)} }
