package gateway

import (
	"context"
	"slices"
)

// subscriber is a client's part of a topic.
type subscriber struct {
	// caller is whose view of the head the messages are part of.
	caller string
	// begin is called once, before the first message.
	begin func()
	// deliver passes a message on.
	deliver func(context.Context, *Notification)
	// lost is called when the topic ends although the subscriber has not left.
	lost func(error)
	// ready receives nil when begin was called, or why it will not be.
	ready chan error
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
		t.feeds.node.Notified(callersOf(members), messages[i])
		for _, s := range members {
			s.deliver(ctx, &messages[i])
		}
	}
}

func callersOf(members []*subscriber) []string {
	callers := make([]string, len(members))
	for i, s := range members {
		callers[i] = s.caller
	}
	return callers
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
