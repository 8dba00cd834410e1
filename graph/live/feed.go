package live

import (
	"context"
	"sync"
	"time"

	"astrolabe/domain"
	"astrolabe/domain/chain"
	"astrolabe/graph/fault"
)

// Feed sends the status of chains to subscribers, rendered as T. It reads once
// for the whole process, however many follow, and not at all while nobody does.
type Feed[T any] struct {
	hub    *Hub
	render func(chain.Status) *T

	mu          sync.Mutex
	subscribers map[*subscriber[T]]struct{}
	stop        context.CancelFunc // of the watch; nil while there is none
	watching    sync.WaitGroup
}

// subscriber follows the status of one chain.
type subscriber[T any] struct {
	chain  domain.Chain
	seen   chain.Head
	events chan *T            // closed when the subscriber is dropped
	end    func(*fault.Ended) // called before events is closed
}

// NewFeed makes a feed.
func NewFeed[T any](hub *Hub, render func(chain.Status) *T) *Feed[T] {
	return &Feed[T]{hub: hub, render: render, subscribers: map[*subscriber[T]]struct{}{}}
}

// Follow returns a channel with the chain's status and then with each status
// that differs from the one before, until ctx ends. A subscriber that does not
// read in time is dropped: the channel is closed, and the context's Ending says
// why.
func (f *Feed[T]) Follow(ctx context.Context, id domain.Chain) (<-chan *T, error) {
	bounded, cancel := context.WithTimeout(ctx, f.hub.TimeLimit)
	defer cancel()
	statuses, err := f.hub.Statuses.Of(bounded, []domain.Chain{id})
	if err != nil {
		return nil, err
	}
	s := &subscriber[T]{
		chain: id, seen: statuses[0].Head, events: make(chan *T, MaxUnread),
		end: func(reason *fault.Ended) { end(ctx, reason) },
	}
	s.events <- f.render(statuses[0])
	f.mu.Lock()
	defer f.mu.Unlock()
	f.subscribers[s] = struct{}{}
	context.AfterFunc(ctx, func() { f.leave(s) })
	if f.stop == nil {
		watch, stop := context.WithCancel(context.Background()) //nolint:gosec // The last subscriber calls it.
		f.stop = stop
		f.watching.Go(func() { f.watch(watch) })
	}
	return s.events, nil
}

// leave forgets a subscriber; the last one ends the watch.
func (f *Feed[T]) leave(s *subscriber[T]) {
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.subscribers, s)
	if len(f.subscribers) == 0 && f.stop != nil {
		f.stop()
		f.stop = nil
	}
}

// watch reads the status of every chain at an interval until ctx ends.
func (f *Feed[T]) watch(ctx context.Context) {
	tick := time.NewTicker(f.hub.PollEvery)
	defer tick.Stop()
	failing := false
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		statuses, err := f.poll(ctx)
		if err != nil {
			if !failing && ctx.Err() == nil {
				f.hub.Logger.WarnContext(ctx, "cannot read the status of chains for subscribers", "error", err)
			}
			failing = true
			continue
		}
		failing = false
		for _, status := range statuses {
			f.publish(status)
		}
	}
}

func (f *Feed[T]) poll(ctx context.Context) ([]chain.Status, error) {
	bounded, cancel := context.WithTimeout(ctx, f.hub.TimeLimit)
	defer cancel()
	return f.hub.Statuses.Of(bounded, domain.Chains)
}

// publish sends a status to the subscribers of its chain that have not seen it.
// It never waits for one.
func (f *Feed[T]) publish(status chain.Status) {
	event := f.render(status)
	f.mu.Lock()
	defer f.mu.Unlock()
	for s := range f.subscribers {
		if s.chain != status.Chain || sameHead(s.seen, status.Head) {
			continue
		}
		select {
		case s.events <- event:
			s.seen = status.Head
		default:
			delete(f.subscribers, s)
			f.hub.slow.Add(1)
			s.end(fault.SlowConsumer())
			close(s.events)
		}
	}
}

func sameHead(a, b chain.Head) bool {
	sameBlock := a.Block == b.Block || a.Block != nil && b.Block != nil && *a.Block == *b.Block
	return sameBlock && a.State == b.State && a.ReasonCode == b.ReasonCode
}

// Wait returns when the watch has ended, after the last subscriber left.
func (f *Feed[T]) Wait() { f.watching.Wait() }

// Subscribers counts those that follow a chain.
func (f *Feed[T]) Subscribers() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.subscribers)
}
