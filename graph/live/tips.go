package live

import (
	"context"
	"log/slog"
	"slices"
	"sync"
	"time"

	"astrolabe/domain"
	"astrolabe/domain/chain"
)

// tips keeps the newest tip of a chain for its followers. It reads when it is
// notified and, in case a notification was lost, at an interval: once for the
// whole process, however many follow, and not at all while nobody does.
type tips struct {
	chain    domain.Chain
	blocks   *chain.Blocks
	every    time.Duration
	limit    time.Duration // of one read
	logger   *slog.Logger
	notified chan struct{} // has a value when there may be new blocks

	joining sync.Mutex // held while the first follower joins

	mu        sync.Mutex
	followers int
	newest    *Tip               // nil while nobody follows
	stop      context.CancelFunc // of the watch
	watching  sync.WaitGroup
}

// notify says that there may be new blocks. It never blocks.
func (s *tips) notify() {
	select {
	case s.notified <- struct{}{}:
	default: // an earlier notification is still waiting
	}
}

// join adds a follower, which calls leave at its end.
func (s *tips) join(ctx context.Context) (*Tip, error) {
	s.joining.Lock()
	defer s.joining.Unlock()
	if t := s.joinOthers(); t != nil {
		return t, nil
	}
	first, err := s.begin(ctx)
	if err != nil {
		return nil, err
	}
	watch, stop := context.WithCancel(context.Background())
	s.mu.Lock()
	defer s.mu.Unlock()
	s.followers, s.newest, s.stop = 1, first, stop
	s.watching.Go(func() { s.watch(watch, first) })
	return first, nil
}

// joinOthers returns nil when there are no others.
func (s *tips) joinOthers() *Tip {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.newest != nil {
		s.followers++
	}
	return s.newest
}

// leave forgets a follower; the last one ends the watch.
func (s *tips) leave() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.followers--; s.followers == 0 {
		s.stop()
		s.newest = nil
	}
}

// current returns the newest tip. Only followers may call it.
func (s *tips) current() *Tip {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.newest
}

// publish replaces a tip by a newer one, unless its followers have left.
func (s *tips) publish(t, newer *Tip) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.newest == t {
		s.newest = newer
		close(t.passed)
	}
}

// begin reads the first tip: the fork before the block, so that a fork between
// the two reads is reported once too often rather than missed.
func (s *tips) begin(ctx context.Context) (*Tip, error) {
	reading, done := context.WithTimeout(ctx, s.limit)
	defer done()
	fork, err := s.blocks.ForkAfter(reading, s.chain, 0)
	if err != nil {
		return nil, err
	}
	latest, err := s.blocks.ByID(reading, s.chain, []chain.BlockID{{Tag: chain.Latest}})
	if err != nil {
		return nil, err
	}
	t := &Tip{passed: make(chan struct{})}
	if fork != nil {
		t.fork = fork.Number
	}
	if latest[0] != nil {
		t.next, t.recent = latest[0].Number+1, latest
	}
	return t, nil
}

// watch keeps the tip up to date until ctx ends.
func (s *tips) watch(ctx context.Context, t *Tip) {
	tick := time.NewTicker(s.every)
	defer tick.Stop()
	failing := false
	for {
		newer, err := s.poll(ctx, t)
		if err != nil && !failing && ctx.Err() == nil {
			s.logger.WarnContext(ctx, "cannot read new blocks for subscribers", "chain", s.chain, "error", err)
		}
		failing = err != nil
		if newer != nil {
			s.publish(t, newer)
			forked := newer.fork != t.fork
			if t = newer; forked {
				continue // the replacing blocks may be there already
			}
		}
		select {
		case <-ctx.Done():
			return
		case <-s.notified:
		case <-tick.C:
		}
	}
}

// poll returns the tip after this one, nil when nothing is new.
func (s *tips) poll(ctx context.Context, t *Tip) (*Tip, error) {
	reading, done := context.WithTimeout(ctx, s.limit)
	defer done()
	page, _, err := s.blocks.List(reading, s.chain, chain.BlockFilter{From: &t.next}, domain.PageRequest{Limit: recentBlocks})
	if err != nil {
		return nil, err
	}
	fork, err := s.blocks.ForkAfter(reading, s.chain, t.fork)
	switch {
	case err != nil:
		return nil, err
	case fork != nil:
		return t.back(*fork), nil
	case len(page.Items) == 0:
		return nil, nil
	}
	slices.Reverse(page.Items)
	return t.on(page.Items, page.Next == nil), nil
}

// wait returns when the watch has ended, after the last follower left.
func (s *tips) wait() { s.watching.Wait() }
