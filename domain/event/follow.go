package event

import (
	"context"

	"astrolabe/domain"
)

// Followed are the events of a stream, in the order of indexing.
type Followed struct {
	filter Filter
	steps  uint64 // blocks that are read at once
}

// followedSteps is how many blocks one read of a stream looks at when its
// filter has further keys: their events are looked at one by one.
const followedSteps = 20

// Follow makes a stream of the events that a filter selects, by the rules of a
// search. A stream has no last block, and needs none: the blocks to look at are
// those that come. It is invalid_request when the filter is not one that can be
// followed.
func Follow(f Filter) (Followed, error) {
	if f.To != nil {
		return Followed{}, refuse("A subscription does not accept %s. Use the query `events` to search a block range that has an end.", toBlock)
	}
	bounded := f
	bounded.From, bounded.To = new(uint64), new(uint64)
	if err := bounded.check(); err != nil {
		return Followed{}, err
	}
	followed := Followed{filter: f.normal(), steps: lastBlock}
	if f.hasKeys() {
		followed.steps = followedSteps
	}
	return followed, nil
}

// From returns events of a stream from a position on, up to but excluding the
// block end, oldest first. It may return fewer than limit although there are
// more. It is degraded like a search.
func (s *Events) From(ctx context.Context, c domain.Chain, followed Followed, from domain.Position, end uint64, limit int) (batch domain.Batch[Row], degraded bool, err error) {
	span := Span{From: Place{Block: from[0], Tx: int(from[1]), Log: int(from[2])}, Before: Place{Block: min(end, from[0]+followed.steps)}} //nolint:gosec // They are places.
	if span.From.Compare(span.Before) >= 0 {
		return domain.Batch[Row]{Next: from}, false, nil
	}
	rows, err := s.store.EventsFrom(ctx, c, followed.filter, span, limit)
	if err != nil {
		return batch, false, err
	}
	batch = domain.CutBatch(rows, limit, Row.Position, span.Before.position())
	degraded, err = s.attribute(ctx, c, s.store.Emitters, batch.Items)
	return batch, degraded, err
}
