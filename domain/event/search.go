package event

import (
	"context"

	"astrolabe/domain"
)

// Found is a page of a search.
type Found struct {
	domain.Page[Row]
	// Degraded reports whether the attribution lookup failed: then no event has
	// attribution.
	Degraded bool
	// Coverage says whether all requested blocks are indexed.
	Coverage domain.Coverage
	// Range is the coverage of a search over a wide range; nil for other
	// searches.
	Range *RangeCoverage
}

// Plan is the entitlement of a caller; package account decides on it.
type Plan interface {
	// AllowsWideSearch reports whether a search may cover more than MaxBlocks
	// blocks.
	AllowsWideSearch() bool
}

// Search returns the events that a filter selects, newest first.
//
// A filter by first key, by address or by both pages through the indexed
// history. A filter by further keys reads a bounded number of candidates per
// page: the page may then be short or empty although Next is not nil. The list
// ends when Next is nil.
//
// It is invalid_request if the filter is invalid or its range exceeds the plan;
// see wide for the errors of a wide search.
func (s *Events) Search(ctx context.Context, c domain.Chain, plan Plan, f Filter, request domain.PageRequest) (Found, error) {
	if err := f.check(); err != nil {
		return Found{}, err
	}
	f = f.normal()
	if f.isWide() && !plan.AllowsWideSearch() {
		return Found{}, refuse("The range from %s to %s must not exceed %d blocks.", fromBlock, toBlock, MaxBlocks)
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
