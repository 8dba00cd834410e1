package event

import (
	"context"

	"astrolabe/domain"
	"astrolabe/domain/chain"
)

// Store keeps events. What it returns has no decoding yet.
type Store interface {
	// EventsOfTransactions returns the first events of each transaction in the
	// order of their logs: at least limit+1 where there are as many.
	EventsOfTransactions(ctx context.Context, c domain.Chain, places []chain.TxPlace, limit int) ([][]Row, error)
	// Emitters returns what is known of who emitted events, in the order of
	// the emissions.
	Emitters(ctx context.Context, c domain.Chain, emissions []Emission) ([]Emitter, error)
}

// Events answers which events there are.
type Events struct {
	store   Store
	classes *chain.CompiledClasses
}

// NewEvents makes the service.
func NewEvents(store Store, classes *chain.CompiledClasses) *Events {
	return &Events{store: store, classes: classes}
}

// OfTransactions returns the first events of each transaction, at most limit
// of each, in the order of their logs. A page's Next tells that a transaction
// has more. It is degraded when the lookup of their meaning failed: then every
// event comes without attribution, which says nothing about the events.
func (s *Events) OfTransactions(ctx context.Context, c domain.Chain, places []chain.TxPlace, limit int) (pages []domain.Page[Row], degraded bool, err error) {
	lists, err := s.store.EventsOfTransactions(ctx, c, places, limit)
	if err != nil {
		return nil, false, err
	}
	pages = make([]domain.Page[Row], len(lists))
	shown := make([][]Row, len(lists))
	for i, rows := range lists {
		pages[i] = domain.CutPage(rows, limit, position)
		shown[i] = pages[i].Items
	}
	degraded, err = s.attribute(ctx, c, shown...)
	return pages, degraded, err
}
