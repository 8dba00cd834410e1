package gateway

import (
	"context"
	"encoding/json"
	"errors"
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
	owner   string // the workspace that began it
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
			return t.follow(ctx, s)
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
		params, missed, err := t.tracker.resume(ctx, t.feeds.now().Sub(lost))
		if errors.Is(err, ErrInterrupted) {
			return err
		}
		t.publish(ctx, missed)
		if err != nil {
			pause(ctx)
			continue
		}
		s, err := follower.Next(ctx, params)
		if err == nil {
			return t.follow(ctx, s)
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

// follow passes the messages of a subscription on until it is lost. The error is
// ErrInterrupted if the topic cannot be continued.
func (t *topic) follow(ctx context.Context, s NodeSubscription) error {
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
	if errors.Is(err, ErrInterrupted) {
		return err
	}
	return nil
}
