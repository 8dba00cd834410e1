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

// newFeed makes a hub that polls every second.
func newFeed(s *store, log *logbook) *live.Hub {
	return live.NewHub(live.Options{
		Statuses: chain.NewStatuses(s, 0), PollEvery: time.Second, TimeLimit: time.Second, Logger: slog.New(slog.NewTextHandler(log, nil)),
	})
}

func TestSubscriberGetsTheStatusAtOnceAndOnEachChange(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newStore()
		f := newFeed(s, new(logbook))
		ctx, leave := context.WithCancel(t.Context())
		events, err := f.FollowStatus(ctx, domain.Mainnet)
		if err != nil {
			t.Fatal(err)
		}
		for _, number := range []uint64{100, 101, 102} {
			if event := <-events; event.Head.Block.Number != number {
				t.Fatalf("got block %d, want %d", event.Head.Block.Number, number)
			}
			time.Sleep(3 * time.Second) // nothing changes
			if len(events) > 0 {
				t.Fatalf("got %d events without a change, want none", len(events))
			}
			s.move(domain.Sepolia, number) // another chain
			s.move(domain.Mainnet, number+1)
		}
		<-events
		s.abandon(domain.Mainnet)
		if event := <-events; event.Head.State != chain.Halted {
			t.Errorf("without a leader: got state %s, want %s", event.Head.State, chain.Halted)
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
			if _, err := f.FollowStatus(ctx, domain.Mainnet); err != nil {
				t.Fatal(err)
			}
		}
		before := s.count()
		time.Sleep(10*time.Second + time.Millisecond)
		if reads := s.count() - before; reads != 10 {
			t.Errorf("got %d reads in ten seconds, want 10", reads)
		}
		leave()
		f.Wait()
		before = s.count()
		time.Sleep(10 * time.Second)
		if reads := s.count() - before; reads != 0 {
			t.Errorf("got %d reads without subscribers, want none", reads)
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
		slow, err := f.FollowStatus(following, domain.Mainnet)
		if err != nil {
			t.Fatal(err)
		}
		quick, err := f.FollowStatus(ctx, domain.Mainnet)
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
			t.Errorf("got %d unread events and the reason %v, want %d and slow_consumer", unread, why, live.MaxUnread)
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
		events, err := f.FollowStatus(ctx, domain.Mainnet)
		if err != nil {
			t.Fatal(err)
		}
		<-events
		s.fail(errors.New("down"))
		time.Sleep(10 * time.Second)
		s.fail(nil)
		s.move(domain.Mainnet, 101)
		if event := <-events; event.Head.Block.Number != 101 {
			t.Errorf("got block %d, want 101", event.Head.Block.Number)
		}
		if n := strings.Count(log.String(), "down"); n != 1 {
			t.Errorf("got %d log lines, want 1: %s", n, log)
		}
		leave()
		f.Wait()
		s.fail(errors.New("down"))
		if _, err := f.FollowStatus(t.Context(), domain.Mainnet); err == nil {
			t.Error("got a subscription without a status, want an error")
		}
	})
}
