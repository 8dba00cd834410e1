package graph

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"astrolabe/domain"
	"astrolabe/domain/chain"
)

// newFeed makes a feed that looks every second.
func newFeed(s *store, log *logbook) *feed {
	return &feed{
		statuses: chain.NewStatuses(s, 0), every: time.Second, budget: time.Second,
		logger: slog.New(slog.NewTextHandler(log, nil)), subscribers: map[*subscriber]struct{}{}, slow: new(atomic.Uint64),
	}
}

// ignore takes no interest in why a subscriber was dropped.
func ignore(*dropped) {}

func TestASubscriberIsToldAtOnceAndThenOfEachChange(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newStore()
		f := newFeed(s, new(logbook))
		ctx, leave := context.WithCancel(t.Context())
		events, err := f.follow(ctx, domain.Mainnet, ignore)
		if err != nil {
			t.Fatal(err)
		}
		for _, number := range []uint64{100, 101, 102} {
			if event := <-events; *event.HeadBlockNumber != number {
				t.Fatalf("told of %d instead of %d", *event.HeadBlockNumber, number)
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
		if event := <-events; event.Indexer.State != chain.Halted {
			t.Errorf("nobody leads the index, and it is %s", event.Indexer.State)
		}
		leave()
		f.wait()
	})
}

func TestOneLookServesEverySubscriber(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newStore()
		f := newFeed(s, new(logbook))
		ctx, leave := context.WithCancel(t.Context())
		for range 100 {
			if _, err := f.follow(ctx, domain.Mainnet, ignore); err != nil {
				t.Fatal(err)
			}
		}
		before := s.count()
		time.Sleep(10*time.Second + time.Millisecond)
		if looks := s.count() - before; looks != 10 {
			t.Errorf("%d looks in ten seconds", looks)
		}
		leave()
		f.wait()
		before = s.count()
		time.Sleep(10 * time.Second)
		if looks := s.count() - before; looks != 0 {
			t.Errorf("%d looks for nobody", looks)
		}
	})
}

func TestASlowConsumerIsDroppedWithACode(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newStore()
		f := newFeed(s, new(logbook))
		ctx, leave := context.WithCancel(t.Context())
		var why *dropped
		slow, err := f.follow(ctx, domain.Mainnet, func(d *dropped) { why = d })
		if err != nil {
			t.Fatal(err)
		}
		quick, err := f.follow(ctx, domain.Mainnet, ignore)
		if err != nil {
			t.Fatal(err)
		}
		for number := range uint64(2 * maxUnread) {
			<-quick
			s.move(domain.Mainnet, 200+number)
			time.Sleep(time.Second + time.Millisecond)
		}
		unread := 0
		for range slow {
			unread++
		}
		if unread != maxUnread || why == nil || why.reason != "slow_consumer" || domain.CodeOf(why) != domain.CodeServiceUnavailable || why.cause.RetryAfter == 0 {
			t.Errorf("%d events were kept, dropped because of %v", unread, why)
		}
		leave()
		f.wait()
	})
}

func TestAFailingStoreIsLoggedOnceAndOutlived(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s, log := newStore(), new(logbook)
		f := newFeed(s, log)
		ctx, leave := context.WithCancel(t.Context())
		events, err := f.follow(ctx, domain.Mainnet, ignore)
		if err != nil {
			t.Fatal(err)
		}
		<-events
		s.fail(errors.New("down"))
		time.Sleep(10 * time.Second)
		s.fail(nil)
		s.move(domain.Mainnet, 101)
		if event := <-events; *event.HeadBlockNumber != 101 {
			t.Errorf("told of %d", *event.HeadBlockNumber)
		}
		if n := strings.Count(log.String(), "down"); n != 1 {
			t.Errorf("logged %d times: %s", n, log)
		}
		leave()
		f.wait()
		s.fail(errors.New("down"))
		if _, err := f.follow(t.Context(), domain.Mainnet, ignore); err == nil {
			t.Error("a subscription began without a status")
		}
	})
}
