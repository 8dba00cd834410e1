package graph

import (
	"context"
	"log/slog"
	"slices"
	"sync"
	"time"

	"astrolabe/domain"
	"astrolabe/domain/chain"
)

// tips shows the end of a chain to everyone who follows it here. It looks when
// it is told that there is something new, and now and then in case that it was
// not: once for the whole process, however many follow, and not at all while
// nobody does.
type tips struct {
	chain  domain.Chain
	blocks *chain.Blocks
	every  time.Duration
	budget time.Duration // of one look
	logger *slog.Logger
	told   chan struct{} // has a value when there may be something new

	joining sync.Mutex // held by who may be the first

	mu        sync.Mutex
	followers int
	newest    *tip               // nil while nobody follows
	stop      context.CancelFunc // of the watch
	watching  sync.WaitGroup
}

// tell says that there may be something new. It never waits.
func (s *tips) tell() {
	select {
	case s.told <- struct{}{}:
	default: // somebody said so, and nobody has looked yet
	}
}

// join adds a follower, who calls leave at its end.
func (s *tips) join(ctx context.Context) (*tip, error) {
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
func (s *tips) joinOthers() *tip {
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

// now returns the newest tip. Only followers may ask.
func (s *tips) now() *tip {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.newest
}

// publish shows a newer tip, unless nobody waits for it any more.
func (s *tips) publish(t, newer *tip) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.newest == t {
		s.newest = newer
		close(t.passed)
	}
}

// begin reads the first tip: the fork before the block, so that a fork between
// the two is told too much and not too little.
func (s *tips) begin(ctx context.Context) (*tip, error) {
	reading, done := context.WithTimeout(ctx, s.budget)
	defer done()
	fork, err := s.blocks.ForkAfter(reading, s.chain, 0)
	if err != nil {
		return nil, err
	}
	latest, err := s.blocks.ByID(reading, s.chain, []chain.BlockID{{Tag: chain.Latest}})
	if err != nil {
		return nil, err
	}
	t := &tip{passed: make(chan struct{})}
	if fork != nil {
		t.fork = fork.Number
	}
	if latest[0] != nil {
		t.next, t.recent = latest[0].Number+1, latest
	}
	return t, nil
}

// watch keeps the tip up to date until ctx ends.
func (s *tips) watch(ctx context.Context, t *tip) {
	tick := time.NewTicker(s.every)
	defer tick.Stop()
	failing := false
	for {
		newer, err := s.look(ctx, t)
		if err != nil && !failing && ctx.Err() == nil {
			s.logger.WarnContext(ctx, "new blocks could not be read for their subscribers", "chain", s.chain, "error", err)
		}
		failing = err != nil
		if newer != nil {
			s.publish(t, newer)
			forked := newer.fork != t.fork
			if t = newer; forked {
				continue // what replaces the blocks may be there
			}
		}
		select {
		case <-ctx.Done():
			return
		case <-s.told:
		case <-tick.C:
		}
	}
}

// look returns the tip after this one, nil when nothing is new.
func (s *tips) look(ctx context.Context, t *tip) (*tip, error) {
	reading, done := context.WithTimeout(ctx, s.budget)
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

// wait returns when nothing watches any more, after every follower left.
func (s *tips) wait() { s.watching.Wait() }
