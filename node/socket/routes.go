package socket

import (
	"github.com/hashicorp/golang-lru/v2/simplelru"

	"astrolabe/node/wire"
)

const (
	// maxEarly is the maximum number of notifications that may arrive before
	// the response with their subscription id.
	maxEarly = 16
	// maxEnded is how many ended subscriptions are remembered, whose last
	// notifications are ignored.
	maxEnded = 1024
)

// routes are the subscriptions of a connection by their ids.
type routes struct {
	known   map[string]*Subscription
	ended   *simplelru.LRU[string, struct{}]
	opening int // subscriptions whose id is not known yet
	early   []early
}

// early is a notification that came before its subscription was known.
type early struct {
	id string
	Notification
}

func newRoutes() routes {
	ended, err := simplelru.NewLRU[string, struct{}](maxEnded, nil)
	if err != nil {
		panic(err) // the size is a constant
	}
	return routes{known: map[string]*Subscription{}, ended: ended}
}

// find returns the subscription of a notification. It is nil if the
// notification is ignored, or kept until its subscription is known.
func (r *routes) find(id string, n Notification) (*Subscription, error) {
	if s, ok := r.known[id]; ok {
		return s, nil
	}
	switch {
	case r.ended.Contains(id):
		return nil, nil
	case r.opening == 0:
		return nil, wire.Invalid("%s is about an unknown subscription", wire.Clip(n.Method, 40))
	case len(r.early) == maxEarly:
		return nil, wire.Invalid("notifications instead of an answer")
	}
	r.early = append(r.early, early{id, n})
	return nil, nil
}

// add begins deliveries to a subscription, first of what came early.
func (r *routes) add(s *Subscription) error {
	if _, taken := r.known[s.id]; taken {
		return wire.Invalid("two subscriptions with one id")
	}
	r.ended.Remove(s.id)
	r.known[s.id] = s
	kept := r.early[:0]
	for _, e := range r.early {
		if e.id == s.id {
			s.received.Store(true)
			s.queue.TryPut(e.Notification, len(e.Result)) // few messages fit into an empty queue
		} else {
			kept = append(kept, e)
		}
	}
	r.early = kept
	return nil
}

// settle returns an error if a notification came early whose subscription never
// came.
func (r *routes) settle() error {
	if r.opening == 0 && len(r.early) > 0 {
		return wire.Invalid("%s is about an unknown subscription", wire.Clip(r.early[0].Method, 40))
	}
	return nil
}

// remove ends deliveries to a subscription, and reports whether there were any.
func (r *routes) remove(s *Subscription) bool {
	if r.known[s.id] != s {
		return false
	}
	delete(r.known, s.id)
	r.forget(s.id)
	return true
}

// forget ignores the notifications of a subscription from now on.
func (r *routes) forget(id string) {
	r.ended.Add(id, struct{}{})
	kept := r.early[:0]
	for _, e := range r.early {
		if e.id != id {
			kept = append(kept, e)
		}
	}
	r.early = kept
}

// end ends all subscriptions.
func (r *routes) end(reason error) {
	for _, s := range r.known {
		s.queue.Close(reason)
	}
	clear(r.known)
}
