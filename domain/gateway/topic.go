package gateway

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"sync"
	"time"
)

const (
	// openAttempts is how many upstreams are tried for a new topic.
	openAttempts = 3
	// resumePause is the pause before a topic asks again where to continue.
	resumePause = time.Second
)

// topic is one subscription at the nodes, and the subscribers that share it.
type topic struct {
	feeds   *feeds
	key     string // empty if it is not shared
	method  Method
	params  json.RawMessage
	tracker tracker
	cancel  context.CancelFunc

	mu      sync.Mutex
	live    bool
	members []*subscriber // replaced, never changed
	waiting []*subscriber // until it is live
	last    *Notification // of the status of a transaction
}

// subscriber is a client's part of a topic.
type subscriber struct {
	// begin is called once, before the first message.
	begin func()
	// deliver passes a message on.
	deliver func(context.Context, *Notification)
	// lost is called when the topic ends although the subscriber has not left.
	lost func(error)
	// ready receives nil when begin was called, or why it will not be.
	ready chan error
}

// run follows the nodes until the topic has no subscribers, or cannot be
// continued.
func (t *topic) run(ctx context.Context) {
	t.tracker.begin(ctx)
	follower := t.feeds.node.Follow(t.method.Name)
	err := t.open(ctx, follower)
	for err == nil && ctx.Err() == nil {
		err = t.reopen(ctx, follower)
	}
	t.end(err)
}

// open follows the first subscription until it is lost. The error says why there
// was none.
func (t *topic) open(ctx context.Context, follower Follower) error {
	for attempt := 1; ; attempt++ {
		s, err := follower.Next(ctx, t.params)
		if err == nil {
			t.follow(ctx, s)
			return nil
		}
		if _, refused := errors.AsType[*NodeError](err); refused || attempt == openAttempts || ctx.Err() != nil {
			return err
		}
	}
}

// reopen follows the next subscription until it is lost. The error says why the
// topic cannot be continued.
func (t *topic) reopen(ctx context.Context, follower Follower) error {
	for lost := t.feeds.now(); ctx.Err() == nil; {
		params, told, err := t.tracker.resume(ctx, t.feeds.now().Sub(lost))
		if errors.Is(err, ErrInterrupted) {
			return err
		}
		t.publish(ctx, told)
		if err != nil {
			pause(ctx)
			continue
		}
		s, err := follower.Next(ctx, params)
		if err == nil {
			t.follow(ctx, s)
			return nil
		}
		if refused, ok := errors.AsType[*NodeError](err); errors.Is(err, ErrInterrupted) || ok && !t.tracker.refused(refused) {
			return err
		}
	}
	return nil
}

func pause(ctx context.Context) {
	timer := time.NewTimer(resumePause)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}

// follow passes the messages of a subscription on until it is lost.
func (t *topic) follow(ctx context.Context, s NodeSubscription) {
	t.begin(ctx)
	var err error
	for err == nil {
		var n Notification
		if n, err = s.Next(ctx); err == nil {
			var passed []Notification
			passed, err = t.tracker.pass(ctx, n)
			t.publish(ctx, passed)
		}
	}
	t.mu.Lock()
	t.live = false
	t.mu.Unlock()
	s.Close(err)
}

// begin lets those in who waited for the topic to be live.
func (t *topic) begin(ctx context.Context) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.live = true
	for _, s := range t.waiting {
		t.admit(ctx, s)
	}
	t.waiting = nil
}

// join adds a subscriber, now or as soon as the topic is live.
func (t *topic) join(ctx context.Context, s *subscriber) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.live {
		t.admit(ctx, s)
	} else {
		t.waiting = append(t.waiting, s)
	}
}

// admit begins deliveries to a subscriber. The caller holds the lock, so that no
// message comes before.
func (t *topic) admit(ctx context.Context, s *subscriber) {
	s.begin()
	s.ready <- nil
	if t.last != nil {
		s.deliver(ctx, t.last)
	}
	t.members = append(slices.Clip(t.members), s)
}

// leave removes a member and reports whether nobody is left.
func (t *topic) leave(s *subscriber) (empty bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.members = slices.DeleteFunc(slices.Clone(t.members), func(one *subscriber) bool { return one == s })
	return len(t.members)+len(t.waiting) == 0
}

// withdraw removes a subscriber that waits, and reports whether it did and
// whether nobody is left.
func (t *topic) withdraw(s *subscriber) (waited, empty bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	before := len(t.waiting)
	t.waiting = slices.DeleteFunc(t.waiting, func(one *subscriber) bool { return one == s })
	return len(t.waiting) < before, len(t.members)+len(t.waiting) == 0
}

// publish delivers messages to the members.
func (t *topic) publish(ctx context.Context, messages []Notification) {
	for i := range messages {
		t.mu.Lock()
		members := t.members
		if t.method.Name == subscribeStatus {
			t.last = &messages[i]
		}
		t.mu.Unlock()
		for _, s := range members {
			s.deliver(ctx, &messages[i])
		}
	}
}

// end tells the subscribers that the topic has ended.
func (t *topic) end(err error) {
	t.feeds.remove(t)
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, s := range t.waiting {
		s.ready <- err
	}
	for _, s := range t.members {
		s.lost(err)
	}
	t.waiting, t.members = nil, nil
}
