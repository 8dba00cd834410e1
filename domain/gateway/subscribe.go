package gateway

import (
	"context"
	"encoding/json"
	"errors"
	"strconv"
)

// Answer answers a single request, subscriptions included, and queues the
// answer. The encoding of an answer to a subscription is queued before its first
// notification. The context holds the caller.
func (s *Session) Answer(ctx context.Context, r Request, encode func(Answer) []byte) error {
	m, known := Lookup(r.Method)
	if r.Invalid != nil || r.ID == nil || !known || !m.Subscribes() {
		return s.forward(ctx, r, encode)
	}
	a := Answer{ID: r.ID, Class: m.Class}
	if m.Name == Unsubscribe {
		if a.Result, a.NodeError, a.Err = s.unsubscribe(m, r.Params); a.Result == nil {
			a = s.gateway.refuse(ctx, a)
		}
		return s.reply(ctx, a, encode)
	}
	if !s.reserve() {
		a.Err = invalid(InvalidRequest, ReasonInvalidRequest, "The socket has %d subscriptions, which is the limit. End one first.", MaxSubscriptions)
		return s.reply(ctx, s.gateway.refuse(ctx, a), encode)
	}
	if a = s.gateway.admit(ctx, m, a); a.Err == nil && s.subscribe(ctx, m, r, &a, encode) {
		return nil
	}
	s.unreserve()
	return s.reply(ctx, a, encode)
}

// forward answers a request that is not about subscriptions.
func (s *Session) forward(ctx context.Context, r Request, encode func(Answer) []byte) error {
	held, refused := s.hold(ctx, r)
	if refused != nil {
		return s.reply(ctx, Answer{ID: r.ID, Err: refused}, encode)
	}
	a := s.gateway.Answer(ctx, r)
	text := encode(a)
	if a.ID == nil {
		s.free(held)
		return nil
	}
	return s.send(ctx, text, held)
}

// reply encodes an answer, and queues it unless the request was a notification.
func (s *Session) reply(ctx context.Context, a Answer, encode func(Answer) []byte) error {
	text := encode(a)
	if a.ID == nil {
		return nil
	}
	return s.Send(ctx, text)
}

// subscribe joins the topic of a request and reports whether it was answered
// with an id. If not, the answer says why.
func (s *Session) subscribe(ctx context.Context, m Method, r Request, a *Answer, encode func(Answer) []byte) bool {
	id := s.newID()
	leave, err := s.gateway.feeds.join(ctx, m, r.Params, s.subscriber(meterOf(ctx), id, namesBlock(m, r.Params), func() []byte {
		a.Result = mustEncode(id)
		return encode(*a)
	}))
	if err == nil {
		s.attach(id, leave)
		return true
	}
	if refused, ok := errors.AsType[*NodeError](err); ok {
		a.NodeError = refused.Raw
	} else {
		a.Err = failure(ctx, m, err)
	}
	return false
}

// subscriber returns the client's part of a topic. If nobody shares the topic,
// it may wait for the client; else a client that is too slow loses its session.
func (s *Session) subscriber(caller, id string, alone bool, answer func() []byte) *subscriber {
	put := func(_ context.Context, m Message, size int) {
		if !s.outbox.TryPut(m, size) {
			s.outbox.Abort(ErrSlowClient)
		}
	}
	one := &subscriber{
		caller: caller,
		ready:  make(chan error, 1),
		begin: func() {
			s.announce(id)
			text := answer()
			put(context.Background(), Message{Answer: text}, len(text))
		},
		lost: func(error) { s.outbox.Close(ErrInterrupted) },
	}
	one.deliver = func(topic context.Context, n *Notification) {
		m := Message{Subscription: id, Notification: n}
		if alone {
			_ = s.outbox.Put(topic, m, len(n.Result)) // fails when the session ends
		} else {
			put(topic, m, len(n.Result))
		}
	}
	return one
}

func (s *Session) newID() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lastID++
	return strconv.FormatUint(s.lastID, 10)
}

// announce makes an id valid, in the place that was reserved for it: the client
// is about to learn it.
func (s *Session) announce(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.reserved--
	if s.leaving != nil {
		s.leaving[id] = func() {}
	}
}

// attach stores how to leave the topic of a subscription, and leaves it at once
// if the client has unsubscribed or gone meanwhile.
func (s *Session) attach(id string, leave func()) {
	s.mu.Lock()
	_, valid := s.leaving[id]
	if valid {
		s.leaving[id] = leave
	}
	s.mu.Unlock()
	if !valid {
		leave()
	}
}

// reserve takes one of the places for subscriptions, until announce or unreserve.
func (s *Session) reserve() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.leaving)+s.reserved >= MaxSubscriptions {
		return false
	}
	s.reserved++
	return true
}

func (s *Session) unreserve() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.reserved--
}

// unsubscribe ends a subscription of the client. It returns the result, the
// error of the node specification, or an error of the gateway.
func (s *Session) unsubscribe(m Method, params json.RawMessage) (result, unknown json.RawMessage, refused *Error) {
	var id *string
	if json.Unmarshal(paramOf(m, params, m.Params[0].Name), &id) != nil || id == nil {
		return nil, nil, invalid(InvalidParams, ReasonParams, "The parameter subscription_id must be a string.")
	}
	s.mu.Lock()
	leave, ok := s.leaving[*id]
	delete(s.leaving, *id)
	s.mu.Unlock()
	if !ok {
		return nil, json.RawMessage(`{"code":66,"message":"Invalid subscription id"}`), nil
	}
	leave()
	return json.RawMessage(`true`), nil, nil
}
