package live

import (
	"context"
	"sync"
	"time"

	"astrolabe/domain"
	"astrolabe/domain/chain"
	"astrolabe/graph/fault"
)

// feed sends the status of chains to subscribers. It reads once for the whole
// process, however many follow, and not at all while nobody does.
type feed struct {
	hub *Hub

	mu          sync.Mutex
	subscribers map[*subscriber]struct{}
	stop        context.CancelFunc // of the watch; nil while there is none
	watching    sync.WaitGroup
}

// subscriber follows the status of one chain.
type subscriber struct {
	chain  domain.Chain
	seen   chain.Head
	events chan chain.Status  // closed when the subscriber is dropped
	end    func(*fault.Ended) // called before events is closed
}

// FollowStatus returns a channel with the chain's status and then with each
// status that differs from the one before, until ctx ends. A subscriber that
// does not read in time is dropped: the channel is closed, and the context's
// Ending says why.
func (h *Hub) FollowStatus(ctx context.Context, id domain.Chain) (<-chan chain.Status, error) {
	bounded, cancel := context.WithTimeout(ctx, h.TimeLimit)
	defer cancel()
	statuses, err := h.Statuses.Of(bounded, []domain.Chain{id})
	if err != nil {
		return nil, err
	}
	s := &subscriber{
		chain: id, seen: statuses[0].Head, events: make(chan chain.Status, MaxUnread),
		end: func(reason *fault.Ended) { end(ctx, reason) },
	}
	s.events <- statuses[0]
	h.feed.join(ctx, s)
	return s.events, nil
}

// join adds a subscriber until ctx ends; the first one begins the watch.
func (f *feed) join(ctx context.Context, s *subscriber) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.subscribers[s] = struct{}{}
	context.AfterFunc(ctx, func() { f.leave(s) })
	if f.stop == nil {
		watch, stop := context.WithCancel(context.Background()) //nolint:gosec // The last subscriber calls it.
		f.stop = stop
		f.watching.Go(func() { f.watch(watch) })
	}
}

// leave forgets a subscriber; the last one ends the watch.
func (f *feed) leave(s *subscriber) {
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.subscribers, s)
	if len(f.subscribers) == 0 && f.stop != nil {
		f.stop()
		f.stop = nil
	}
}

// watch reads the status of every chain at an interval until ctx ends.
func (f *feed) watch(ctx context.Context) {
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

func (f *feed) poll(ctx context.Context) ([]chain.Status, error) {
	bounded, cancel := context.WithTimeout(ctx, f.hub.TimeLimit)
	defer cancel()
	return f.hub.Statuses.Of(bounded, domain.Chains)
}

// publish sends a status to the subscribers of its chain that have not seen it.
// It never waits for one.
func (f *feed) publish(status chain.Status) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for s := range f.subscribers {
		if s.chain != status.Chain || sameHead(s.seen, status.Head) {
			continue
		}
		select {
		case s.events <- status:
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

func (f *feed) count() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.subscribers)
}
