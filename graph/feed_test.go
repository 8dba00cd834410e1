package graph

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"astrolabe/domain"
	"astrolabe/domain/chain"
	"astrolabe/graph/live"
)

// newFeed makes a feed that polls every second.
func newFeed(s *store, log *logbook) *live.Feed[chain.Status] {
	hub := live.NewHub(live.Options{
		Statuses: chain.NewStatuses(s, 0), PollEvery: time.Second, TimeLimit: time.Second, Logger: slog.New(slog.NewTextHandler(log, nil)),
	})
	return live.NewFeed(hub, func(s chain.Status) *chain.Status { return &s })
}

func TestSubscriberGetsTheStatusAtOnceAndOnEachChange(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newStore()
		f := newFeed(s, new(logbook))
		ctx, leave := context.WithCancel(t.Context())
		events, err := f.Follow(ctx, domain.Mainnet)
		if err != nil {
			t.Fatal(err)
		}
		for _, number := range []uint64{100, 101, 102} {
			if event := <-events; event.Head.Block.Number != number {
				t.Fatalf("told of %d instead of %d", event.Head.Block.Number, number)
			}
			time.Sleep(3 * time.Second) // nothing changes, nothing is told
			if len(events) > 0 {
				t.Fatal("told of what did not change")
			}
			s.move(domain.Sepolia, number) // another chain's business
			s.move(domain.Mainnet, number+1)
		}
		<-events
		s.abandon(domain.Mainnet)
		if event := <-events; event.Head.State != chain.Halted {
			t.Errorf("nobody leads the index, and it is %s", event.Head.State)
		}
		leave()
		f.Wait()
	})
}

func TestSubscribersShareOneRead(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newStore()
		f := newFeed(s, new(logbook))
		ctx, leave := context.WithCancel(t.Context())
		for range 100 {
			if _, err := f.Follow(ctx, domain.Mainnet); err != nil {
				t.Fatal(err)
			}
		}
		before := s.count()
		time.Sleep(10*time.Second + time.Millisecond)
		if looks := s.count() - before; looks != 10 {
			t.Errorf("%d looks in ten seconds", looks)
		}
		leave()
		f.Wait()
		before = s.count()
		time.Sleep(10 * time.Second)
		if looks := s.count() - before; looks != 0 {
			t.Errorf("%d looks for nobody", looks)
		}
	})
}

func TestSlowConsumerIsDroppedWithACode(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newStore()
		f := newFeed(s, new(logbook))
		ctx, leave := context.WithCancel(t.Context())
		following, ending := live.WithEnding(ctx)
		slow, err := f.Follow(following, domain.Mainnet)
		if err != nil {
			t.Fatal(err)
		}
		quick, err := f.Follow(ctx, domain.Mainnet)
		if err != nil {
			t.Fatal(err)
		}
		for number := range uint64(2 * live.MaxUnread) {
			<-quick
			s.move(domain.Mainnet, 200+number)
			time.Sleep(time.Second + time.Millisecond)
		}
		unread := 0
		for range slow {
			unread++
		}
		if why := ending.Reason(); unread != live.MaxUnread || why == nil || why.Reason != "slow_consumer" || domain.CodeOf(why) != domain.CodeServiceUnavailable || why.Cause.RetryAfter == 0 {
			t.Errorf("%d events were kept, ended because of %v", unread, why)
		}
		leave()
		f.Wait()
	})
}

func TestFeedLogsAFailingStoreOnceAndRecovers(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s, log := newStore(), new(logbook)
		f := newFeed(s, log)
		ctx, leave := context.WithCancel(t.Context())
		events, err := f.Follow(ctx, domain.Mainnet)
		if err != nil {
			t.Fatal(err)
		}
		<-events
		s.fail(errors.New("down"))
		time.Sleep(10 * time.Second)
		s.fail(nil)
		s.move(domain.Mainnet, 101)
		if event := <-events; event.Head.Block.Number != 101 {
			t.Errorf("told of %d", event.Head.Block.Number)
		}
		if n := strings.Count(log.String(), "down"); n != 1 {
			t.Errorf("logged %d times: %s", n, log)
		}
		leave()
		f.Wait()
		s.fail(errors.New("down"))
		if _, err := f.Follow(t.Context(), domain.Mainnet); err == nil {
			t.Error("a subscription began without a status")
		}
	})
}
