package graph

import (
	"context"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"astrolabe/domain"
	"astrolabe/domain/chain"
)

// feed tells subscribers how chains stand. It looks once for the whole
// process, however many follow, and not at all while nobody does.
type feed struct {
	statuses *chain.Statuses
	every    time.Duration
	budget   time.Duration // of one read
	logger   *slog.Logger
	slow     *atomic.Uint64 // counts who is dropped

	mu          sync.Mutex
	subscribers map[*subscriber]struct{}
	stop        context.CancelFunc // of the watch; nil while there is none
	watching    sync.WaitGroup
}

// subscriber is one who follows a chain.
type subscriber struct {
	chain  domain.Chain
	seen   chain.Head
	events chan *ChainStatus // closed when the subscriber is dropped
	drop   func(*dropped)    // told why, before events is closed
}

// maxUnread is how many events a subscriber may leave unread before it is
// dropped.
const maxUnread = 16

// follow returns a channel with the chain's status and then with each that
// differs from the one before, until ctx ends. A subscriber that does not
// read is dropped: drop learns why and the channel is closed.
func (f *feed) follow(ctx context.Context, id domain.Chain, drop func(*dropped)) (<-chan *ChainStatus, error) {
	reading, done := context.WithTimeout(ctx, f.budget)
	defer done()
	statuses, err := f.statuses.Of(reading, []domain.Chain{id})
	if err != nil {
		return nil, err
	}
	s := &subscriber{chain: id, seen: statuses[0].Head, events: make(chan *ChainStatus, maxUnread), drop: drop}
	s.events <- chainStatus(statuses[0])
	f.mu.Lock()
	defer f.mu.Unlock()
	f.subscribers[s] = struct{}{}
	context.AfterFunc(ctx, func() { f.leave(s) })
	if f.stop == nil {
		watch, stop := context.WithCancel(context.Background())
		f.stop = stop
		f.watching.Go(func() { f.watch(watch) })
	}
	return s.events, nil
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

// watch looks at the chains that are followed until ctx ends.
func (f *feed) watch(ctx context.Context) {
	tick := time.NewTicker(f.every)
	defer tick.Stop()
	failing := false
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		statuses, err := f.look(ctx)
		if err != nil {
			if !failing && ctx.Err() == nil {
				f.logger.WarnContext(ctx, "the status of chains could not be read for their subscribers", "error", err)
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

// look reads the status of every chain.
func (f *feed) look(ctx context.Context) ([]chain.Status, error) {
	reading, done := context.WithTimeout(ctx, f.budget)
	defer done()
	return f.statuses.Of(reading, domain.Chains)
}

// publish hands a status to the followers of its chain for whom it is news.
// It never waits for one.
func (f *feed) publish(status chain.Status) {
	event := chainStatus(status)
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
			f.slow.Add(1)
			s.drop(slowConsumer())
			close(s.events)
		}
	}
}

func sameHead(a, b chain.Head) bool {
	sameBlock := a.Block == b.Block || a.Block != nil && b.Block != nil && *a.Block == *b.Block
	return sameBlock && a.State == b.State && a.ReasonCode == b.ReasonCode
}

// wait returns when nothing watches any more, after every subscriber left.
func (f *feed) wait() { f.watching.Wait() }
