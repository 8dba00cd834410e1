package node

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"astrolabe/node/socket"
	"astrolabe/polltest"
)

// next returns the next message of a subscription, or fails the test.
func next(t *testing.T, s *socket.Subscription) string {
	t.Helper()
	n, err := s.Next(t.Context())
	if err != nil {
		t.Fatalf("got %v, want a message", err)
	}
	return string(n.Result)
}

// identified answers the identity checks.
func (s *fakeSocket) identified() {
	s.send(`{"jsonrpc":"2.0","id":%s,"result":"0x534e5f5345504f4c4941"}`, s.receive().ID)
	s.send(`{"jsonrpc":"2.0","id":%s,"result":"0.10.2"}`, s.receive().ID)
}

// multiplexed answers every subscription with an id of its own, sends one
// notification with that id, and confirms the end of subscriptions.
func (s *fakeSocket) multiplexed() {
	s.identified()
	for last := 0; ; {
		c := s.receive()
		switch c.Method {
		case "":
			return
		case "starknet_unsubscribe":
			s.send(`{"jsonrpc":"2.0","id":%s,"result":true}`, c.ID)
		default:
			last++
			s.send(`{"jsonrpc":"2.0","id":%s,"result":"s%d"}`, c.ID, last)
			s.send(`{"jsonrpc":"2.0","method":"starknet_subscriptionEvents","params":{"subscription_id":"s%d","result":%d}}`, last, last)
		}
	}
}

func TestSubscriptionsShareAConnection(t *testing.T) {
	t.Parallel()
	n := newFakeNode(t)
	var open atomic.Int64
	n.sockets <- func(s *fakeSocket) {
		open.Add(1)
		defer open.Add(-1)
		s.multiplexed()
	}
	p := openPool(t, nil, n)
	const count = 20
	subs := make([]*socket.Subscription, count)
	for i := range subs {
		var err error
		if subs[i], err = p.Follow("starknet_subscribeEvents").Next(t.Context(), json.RawMessage(fmt.Sprintf(`{ "x":%d}`, i))); err != nil {
			t.Fatalf("subscription %d: got %v, want one on the same connection", i, err)
		}
	}
	for i, s := range subs {
		if got, want := next(t, s), fmt.Sprint(i+1); got != want {
			t.Errorf("subscription %d: got %s, want its own message %s", i, got, want)
		}
	}
	if got := len(n.calls("starknet_chainId")); got != 1 {
		t.Errorf("got %d identity checks of one connection, want 1", got)
	}
	for i, s := range subs[1:] {
		s.Close()
		n.awaitCalls("starknet_unsubscribe", i+1)
	}
	if open.Load() != 1 {
		t.Error("got a closed connection, want it open for the last subscription")
	}
	subs[0].Close()
	polltest.Until(t, "the end of the unused connection", func() bool { return open.Load() == 0 })
}

func TestSlowSubscriptionDoesNotEndTheOthers(t *testing.T) {
	t.Parallel()
	const messages = 9000 // more than the queue holds
	n := newFakeNode(t)
	flood := make(chan struct{})
	n.sockets <- func(s *fakeSocket) {
		s.identified()
		s.send(`{"jsonrpc":"2.0","id":%s,"result":"slow"}`, s.receive().ID)
		s.send(`{"jsonrpc":"2.0","id":%s,"result":"good"}`, s.receive().ID)
		<-flood
		for i := range messages {
			s.send(`{"jsonrpc":"2.0","method":"starknet_subscriptionEvents","params":{"subscription_id":"slow","result":%d}}`, i)
		}
		s.send(`{"jsonrpc":"2.0","method":"starknet_subscriptionEvents","params":{"subscription_id":"good","result":1}}`)
		s.stay()
	}
	p := openPool(t, nil, n)
	slow, err := p.Follow("starknet_subscribeEvents").Next(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer slow.Close()
	good, err := p.Follow("starknet_subscribeEvents").Next(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer good.Close()
	close(flood)
	if got := next(t, good); got != "1" {
		t.Errorf("the other subscription: got %s, want 1", got)
	}
	count := 0
	for ; ; count++ {
		if _, err = slow.Next(t.Context()); err != nil {
			break
		}
	}
	if !errors.Is(err, socket.ErrOverflow) || count == 0 || count == messages {
		t.Errorf("got %d messages and %v, want some and %v", count, err, socket.ErrOverflow)
	}
	n.awaitCalls("starknet_unsubscribe", 1)
}

func TestLostConnectionMovesItsSubscriptionsToTheNextUpstream(t *testing.T) {
	t.Parallel()
	first, second := newFakeNode(t), newFakeNode(t)
	cut := make(chan struct{})
	first.sockets <- func(s *fakeSocket) {
		s.identified()
		for i := range 2 {
			s.send(`{"jsonrpc":"2.0","id":%s,"result":"%d"}`, s.receive().ID, i)
		}
		<-cut
	}
	second.sockets <- func(s *fakeSocket) { s.multiplexed() }
	p := openPool(t, func(o *Options) { o.clock = newFakeClock() }, first, second)
	followers := []*Follower{p.Follow("starknet_subscribeEvents"), p.Follow("starknet_subscribeNewHeads")}
	var subs []*socket.Subscription
	for _, f := range followers {
		s, err := f.Next(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		subs = append(subs, s)
	}
	close(cut)
	for i, f := range followers {
		_, err := subs[i].Next(t.Context())
		if err == nil {
			t.Fatal("got a message of a lost connection, want an error")
		}
		subs[i].Close()
		if err := f.Lost(err); !isFault(err) {
			t.Errorf("got %v, want a fault of the upstream", err)
		}
		s, err := f.Next(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		if got, want := next(t, s), fmt.Sprint(i+1); got != want {
			t.Errorf("got %s at the next upstream, want %s", got, want)
		}
	}
}

func TestSubscriptionThatStaysLostIsLoggedOnceAMinute(t *testing.T) {
	t.Parallel()
	n, clock, log := newFakeNode(t), newFakeClock(), &logBuffer{}
	p := openPool(t, func(o *Options) { o.clock, o.Logger = clock, log.logger() }, n)
	f, began := p.Follow("starknet_subscribeNewHeads"), clock.Now()
	for range 30 {
		if _, err := f.Next(t.Context(), nil); err == nil {
			t.Fatal("got a subscription, want none")
		}
	}
	minutes := int(clock.Now().Sub(began) / time.Minute)
	if got := strings.Count(log.String(), "lost a node subscription"); minutes < 3 || got < 2 || got > minutes+1 {
		t.Errorf("got %d lines in %d minutes, want one at once and one a minute", got, minutes)
	}
	n.sockets <- func(s *fakeSocket) { s.multiplexed() }
	s, err := f.Next(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if got := strings.Count(log.String(), "subscribed to a node again"); got != 1 {
		t.Errorf("got %d lines when it was back, want 1", got)
	}
}

// stoppingClock reports waits of more than a minute, which last until their
// context ends.
type stoppingClock struct {
	*fakeClock
	long chan time.Duration
}

func (c stoppingClock) Wait(ctx context.Context, d time.Duration) {
	if d <= time.Minute {
		c.fakeClock.Wait(ctx, d)
		return
	}
	c.long <- d
	<-ctx.Done()
}

func TestNodesWithoutWebSocketAreDialledRarely(t *testing.T) {
	t.Parallel()
	var dials atomic.Int64
	refusing := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		dials.Add(1)
		w.WriteHeader(http.StatusMethodNotAllowed)
	}))
	defer refusing.Close()
	clock := stoppingClock{newFakeClock(), make(chan time.Duration)}
	p := openPool(t, func(o *Options) {
		o.URLs, o.clock = []string{refusing.URL + "/a", refusing.URL + "/b"}, clock
	})
	s := p.SubscribeHeads(t.Context())
	defer s.Close()
	if got := <-clock.long; got != refusedPause || dials.Load() != 2 {
		t.Errorf("got a pause of %v after %d handshakes, want %v after one with each of 2 nodes", got, dials.Load(), refusedPause)
	}
	if state, err := s.State(); state != StreamConnecting || !strings.Contains(err.Error(), "405") {
		t.Errorf("got the state %s and %v, want %s and the status", state, err, StreamConnecting)
	}
}

func TestLateAnswerToAnAbandonedSubscriptionIsUnsubscribed(t *testing.T) {
	t.Parallel()
	n := newFakeNode(t)
	abandoned := make(chan struct{})
	n.sockets <- func(s *fakeSocket) {
		s.identified()
		s.send(`{"jsonrpc":"2.0","id":%s,"result":"kept"}`, s.receive().ID)
		late := s.receive()
		<-abandoned
		s.send(`{"jsonrpc":"2.0","id":%s,"result":"late"}`, late.ID)
		s.send(`{"jsonrpc":"2.0","method":"starknet_subscriptionEvents","params":{"subscription_id":"late","result":0}}`)
		c := s.receive()
		if string(c.Params) != `["late"]` {
			t.Errorf("got %s %s, want the end of the late subscription", c.Method, c.Params)
		}
		s.send(`{"jsonrpc":"2.0","id":%s,"result":true}`, c.ID)
		s.send(`{"jsonrpc":"2.0","method":"starknet_subscriptionEvents","params":{"subscription_id":"kept","result":1}}`)
		s.stay()
	}
	p := openPool(t, nil, n)
	kept, err := p.Follow("starknet_subscribeEvents").Next(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer kept.Close()
	short, cancel := context.WithCancel(t.Context())
	go func() {
		n.awaitCalls("starknet_subscribeEvents", 2)
		cancel()
	}()
	if _, err := p.Follow("starknet_subscribeEvents").Next(short, nil); err == nil {
		t.Error("got a subscription, want none")
	}
	close(abandoned)
	if got := next(t, kept); got != "1" {
		t.Errorf("got %s, want 1 on the same connection", got)
	}
}
