package resolver

import (
	"context"

	"astrolabe/domain"
	"astrolabe/domain/address"
	"astrolabe/domain/chain"
	"astrolabe/domain/event"
	"astrolabe/graph/cohort"
	"astrolabe/graph/live"
	"astrolabe/starknet"
)

// Hub is what subscriptions need of the live part: it follows chains and
// verification jobs on behalf of their subscribers.
type Hub interface {
	// Follow begins a stream: what follows the cursor or, without one, what
	// comes from a block on. It closes the subscriber when ctx ends or when the
	// server ends the stream.
	Follow(ctx context.Context, s live.Subscription, to live.Subscriber) error
	// FollowStatus returns a channel with the chain's status and then with each
	// status that differs from the one before, until ctx ends. It closes the
	// channel of a subscriber that does not read in time.
	FollowStatus(ctx context.Context, c domain.Chain) (<-chan chain.Status, error)
	// FollowJob sends a verification job as it is, and then as it is in each
	// further state. It closes the subscriber when the state is terminal, when ctx
	// ends or when the server ends the stream.
	FollowJob(ctx context.Context, s live.JobSubscriber) error
	// Read runs a read for a subscriber, in its turn and in bounded time.
	Read(ctx context.Context, read func(context.Context) error) error
}

// ChainStatus returns the status of a chain: once at the start, then whenever
// its head or the state of its indexer changes.
func (r *Subscription) ChainStatus(ctx context.Context, id domain.Chain) (<-chan *ChainStatus, error) {
	if _, err := r.resolver.served(id); err != nil {
		return nil, err
	}
	statuses, err := r.resolver.Hub.FollowStatus(ctx, id)
	if err != nil {
		return nil, err
	}
	messages := make(chan *ChainStatus)
	go func() {
		defer close(messages)
		for ctx.Err() == nil {
			select {
			case s, open := <-statuses:
				if !open {
					return
				}
				send(ctx, messages, chainStatus(s))
			case <-ctx.Done():
			}
		}
	}()
	return messages, nil
}

// NewBlock is a message of the newBlocks subscription: a block, or a reorg.
type NewBlock struct {
	live.Message
	Block *Block
}

// NewBlocks returns the blocks of a chain as they are indexed, each once and in
// order.
func (r *Subscription) NewBlocks(ctx context.Context, id domain.Chain, after *string) (<-chan *NewBlock, error) {
	on, err := r.resolver.onChain(id)
	if err != nil {
		return nil, err
	}
	begin, err := on.subscription(ctx, after, nil, 1)
	if err != nil {
		return nil, err
	}
	return follow(ctx, on.resolver.Hub, begin, on.blocksFrom, func(m *NewBlock) *live.Message { return &m.Message })
}

// blocksFrom takes blocks from the tip, and reads those that are older.
func (on onChain) blocksFrom(ctx context.Context, t *live.Tip, from domain.Position) (live.Batch, error) {
	blocks, ofTip := t.Blocks(from[0])
	if !ofTip {
		err := on.resolver.Hub.Read(ctx, func(ctx context.Context) error {
			page, _, err := on.resolver.Blocks.List(ctx, on.chain, chain.BlockFilter{From: &from[0], OldestFirst: true}, domain.PageRequest{Limit: live.BatchSize})
			blocks = page.Items
			return err
		})
		if err != nil {
			return live.Batch{}, err
		}
	}
	next := domain.Position{max(from[0], t.Next())}
	if n := len(blocks); n > 0 {
		next = blocks[n-1].Position().Following()
	}
	return live.Batch{
		Batch: domain.Batch[any]{Next: next, Items: convert(on.newBlocks(new(cohort.Cache), blocks), func(b *Block) any { return &NewBlock{Block: b} })},
		At:    func(i int) domain.Position { return blocks[i].Position() }, OfTip: ofTip,
	}, nil
}

// NewEvent is a message of the events subscription: an event, or a reorg.
type NewEvent struct {
	live.Message
	Event                 *Event
	EventDecodingDegraded bool
}

// Events returns the events that match a filter, each once and in chain order,
// as they are indexed.
func (r *Subscription) Events(ctx context.Context, id domain.Chain, filter EventFilter, after *string) (<-chan *NewEvent, error) {
	on, err := r.resolver.onChain(id)
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
	begin, err := on.subscription(ctx, after, filter.FromBlock, 3)
	if err != nil {
		return nil, err
	}
	return follow(ctx, on.resolver.Hub, begin, on.eventsFrom(followed), func(m *NewEvent) *live.Message { return &m.Message })
}

func (on onChain) eventsFrom(followed event.Followed) live.Source {
	return func(ctx context.Context, t *live.Tip, from domain.Position) (out live.Batch, err error) {
		var (
			batch    domain.Batch[event.Row]
			degraded bool
		)
		err = on.resolver.Hub.Read(ctx, func(ctx context.Context) error {
			batch, degraded, err = on.resolver.Events.From(ctx, on.chain, followed, from, t.Next(), live.BatchSize)
			return err
		})
		if err != nil {
			return out, err
		}
		page := on.eventSlices(new(cohort.Cache), eventPages([]domain.Page[event.Row]{{Items: batch.Items}}, degraded))[0]
		out.Next, out.At = batch.Next, page.at
		out.Items = convert(page.items, func(e *Event) any { return &NewEvent{Event: e, EventDecodingDegraded: degraded} })
		return out, nil
	}
}

// NewAddressActivity is a message of the addressActivity subscription: an
// activity, or a reorg.
type NewAddressActivity struct {
	live.Message
	Activity *AddressActivity
}

// AddressActivity returns the activity of an address, each item once and in
// chain order, as it is indexed.
func (r *Subscription) AddressActivity(ctx context.Context, id domain.Chain, owner starknet.Felt, after *string) (<-chan *NewAddressActivity, error) {
	on, err := r.resolver.onChain(id)
	if err != nil {
		return nil, err
	}
	begin, err := on.subscription(ctx, after, nil, 5)
	if err != nil {
		return nil, err
	}
	return follow(ctx, on.resolver.Hub, begin, on.activityFrom(owner), func(m *NewAddressActivity) *live.Message { return &m.Message })
}

func (on onChain) activityFrom(owner starknet.Felt) live.Source {
	return func(ctx context.Context, t *live.Tip, from domain.Position) (out live.Batch, err error) {
		var batch domain.Batch[address.Item]
		err = on.resolver.Hub.Read(ctx, func(ctx context.Context) error {
			batch, err = on.resolver.Addresses.ActivityFrom(ctx, on.chain, owner, from, t.Next(), live.BatchSize)
			return err
		})
		if err != nil {
			return out, err
		}
		page := slicesOf(new(cohort.Cache), []domain.Page[address.Item]{{Items: batch.Items}}, address.Item.Position, func(_ int, item address.Item) *AddressActivity {
			return &AddressActivity{onChain: on, item: &item}
		})[0]
		out.Next, out.At = batch.Next, page.at
		out.Items = convert(page.items, func(a *AddressActivity) any { return &NewAddressActivity{Activity: a} })
		return out, nil
	}
}

// subscription reads where a stream of the chain begins. Its positions have so
// many fields.
func (on onChain) subscription(ctx context.Context, after *string, from *uint64, fields int) (live.Subscription, error) {
	l, err := on.list(ctx, "", nil, after)
	if err != nil {
		return live.Subscription{}, err
	}
	return live.Subscription{Chain: on.chain, Fields: fields, After: l.request.After, From: from, Cursor: l.cursor}, nil
}

// follow begins a stream of messages of type T. The items that read returns are
// pointers to T, of which messageOf returns the fields that the hub fills in.
func follow[T any](ctx context.Context, hub Hub, s live.Subscription, read live.Source, messageOf func(*T) *live.Message) (<-chan *T, error) {
	// The channel has no buffer: a message leaves when the client has been sent
	// the one before.
	messages := make(chan *T)
	err := hub.Follow(ctx, s, live.Subscriber{
		Read: read,
		Send: func(m live.Message, item any) {
			message, ok := item.(*T)
			if !ok {
				message = new(T)
			}
			*messageOf(message) = m
			send(ctx, messages, message)
		},
		Close: func() { close(messages) },
	})
	if err != nil {
		return nil, err
	}
	return messages, nil
}

// send hands over a message unless ctx ends before.
func send[T any](ctx context.Context, messages chan<- *T, message *T) {
	select {
	case messages <- message:
	case <-ctx.Done():
	}
}
