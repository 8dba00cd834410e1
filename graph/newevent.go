package graph

import (
	"context"

	"astrolabe/domain"
	"astrolabe/domain/event"
)

// NewEvent is a message of a stream of events.
type NewEvent struct {
	news
	Event                 *Event
	EventDecodingDegraded bool
}

// Events follows the events that a filter selects.
func (r subscriptionResolver) Events(ctx context.Context, id domain.Chain, filter EventFilter, after *string) (<-chan *NewEvent, error) {
	p, err := r.h.of(id)
	if err != nil {
		return nil, err
	}
	wanted, err := filter.filter()
	if err != nil {
		return nil, err
	}
	followed, err := event.Follow(wanted)
	if err != nil {
		return nil, err
	}
	return followFrom(ctx, p, after, filter.FromBlock, 3, p.eventsFrom(followed))
}

func (p part) eventsFrom(followed event.Followed) source[NewEvent] {
	return func(ctx context.Context, t *tip, from domain.Position) (out found[NewEvent], err error) {
		var (
			batch    domain.Batch[event.Row]
			degraded bool
		)
		err = p.h.reads(ctx, func(ctx context.Context) error {
			batch, degraded, err = p.h.Events.From(ctx, p.chain, followed, from, t.next, batchSize)
			return err
		})
		if err != nil {
			return out, err
		}
		page := p.eventSlices([]domain.Page[event.Row]{{Items: batch.Items}}, degraded)[0]
		out.Next, out.at = batch.Next, page.at
		out.Items = convert(page.items, func(e *Event) *NewEvent { return &NewEvent{Event: e, EventDecodingDegraded: degraded} })
		return out, nil
	}
}
