package event

import (
	"context"

	"astrolabe/domain"
)

// Found is a page of a search.
type Found struct {
	domain.Page[Row]
	// Degraded tells that the lookup of what the events mean failed: then all
	// of them come without attribution.
	Degraded bool
	// Coverage tells whether the index holds all blocks that were asked for.
	Coverage domain.Coverage
	// Range tells what a search over a wide range rests on; nil for others.
	Range *RangeCoverage
}

// Plan is what a caller is entitled to. Who has which plan, and which plans
// allow it, is not decided here.
type Plan interface {
	// AllowsWideSearch tells whether a search may go over more than MaxBlocks
	// blocks.
	AllowsWideSearch() bool
}

// Search returns the events that a filter selects, newest first.
//
// A filter by first key, by address or by both follows an index through the
// retained history. One by further keys reads a bounded number of candidates:
// its page may then have fewer events than asked for, even none, and a Next
// that goes on after the last candidate. The list ends where Next is nil.
//
// It is invalid_request when the filter is not one that can be searched by, or
// when its bounds are wider than the plan allows; a wide search has failures of
// its own, see wide.
func (s *Events) Search(ctx context.Context, c domain.Chain, plan Plan, f Filter, request domain.PageRequest) (Found, error) {
	if err := f.check(); err != nil {
		return Found{}, err
	}
	f = f.normal()
	if f.isWide() && !plan.AllowsWideSearch() {
		return Found{}, refuse("the bounds hold more than %d blocks", MaxBlocks)
	}
	horizon, err := s.statuses.Horizon(ctx, c)
	if err != nil {
		return Found{}, err
	}
	found := Found{Coverage: horizon.Between(f.From, f.To)}
	segments := []segment{s.ordinary(c, f)}
	if f.isWide() {
		if segments, found.Range, err = s.wide(ctx, c, f, horizon); err != nil {
			return Found{}, err
		}
	}
	if found.Page, err = fill(ctx, segments, spanOf(f.From, f.To, request.After), request.Limit); err != nil {
		return Found{}, err
	}
	found.Degraded, err = s.attribute(ctx, c, s.store.Emitters, found.Items)
	return found, err
}

// ordinary is the whole of a search over a range that is not wide.
func (s *Events) ordinary(c domain.Chain, f Filter) segment {
	return segment{from: spanOf(f.From, f.To, nil).From, read: func(ctx context.Context, span Span, limit int) ([]Row, *Place, error) {
		return s.read(ctx, c, f, span, limit)
	}}
}

// read reads events by their selectors and addresses. Without further keys
// every event that the index leads to is wanted; otherwise it looks at so many
// candidates and returns how far it has come.
func (s *Events) read(ctx context.Context, c domain.Chain, f Filter, span Span, limit int) (rows []Row, reached *Place, err error) {
	if f.hasKeys() {
		if reached, err = s.store.LastCandidate(ctx, c, f, span, s.candidates); err != nil {
			return nil, nil, err
		}
		if reached != nil {
			span.From = *reached
		}
	}
	rows, err = s.store.SearchEvents(ctx, c, f, span, limit)
	return rows, reached, err
}
