package graph

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	"github.com/coder/websocket"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"astrolabe/access"
	"astrolabe/domain"
	"astrolabe/domain/account"
	"astrolabe/telemetry"
)

// wireMessage is what both sides of graphql-transport-ws send.
type wireMessage struct {
	ID      string          `json:"id"`
	Type    string          `json:"type"`
	Payload json.RawMessage `json:"payload"`
}

// maxOperationID keeps an id short enough to be quoted in a close frame.
const maxOperationID = 64

// breach is a message that ends the conversation.
type breach struct {
	code   websocket.StatusCode
	reason string
}

// running is an operation of a socket.
type running struct{ cancel context.CancelFunc }

// receive acts on one message.
func (s *socket) receive(kind websocket.MessageType, text []byte) *breach {
	var m wireMessage
	if kind != websocket.MessageText || json.Unmarshal(text, &m) != nil {
		return &breach{closeBadMessage, "the message is not a JSON object of the protocol"}
	}
	switch m.Type {
	case "connection_init":
		return s.introduce(m.Payload)
	case "ping":
		_ = s.send([]byte(`{"type":"pong"}`)) // a failure ends the next read
		return nil
	case "pong":
		return nil
	case "subscribe":
		return s.subscribe(m)
	case "complete":
		s.complete(m.ID)
		return nil
	default:
		return &breach{closeBadMessage, "the type of the message is not known"}
	}
}

// introduce takes connection_init.
func (s *socket) introduce(payload json.RawMessage) *breach {
	if s.initialised {
		return &breach{closeManyInits, "Too many initialisation requests"}
	}
	s.initialised = true
	s.unset(unintroduced)
	var init map[string]any
	if decodeObject(payload, &init) != nil {
		return &breach{closeBadMessage, "the payload of connection_init is not an object"}
	}
	var shown access.Credentials
	shown.Key, _ = init["apiKey"].(string)
	shown.PageToken, _ = init["pageToken"].(string)
	caller, err := s.h.enter(visit{s.request, shown})
	if err != nil {
		return s.reject(err)
	}
	if err := s.h.take(caller, http.Header{}, 1); err != nil {
		return s.reject(err)
	}
	if err := s.h.streams.introduce(s.stream, holderOf(account.CallerOf(caller))); err != nil {
		return s.reject(err)
	}
	s.caller = caller
	if until := account.CallerOf(caller).Until; !until.IsZero() {
		s.set(outlived, time.Until(until), func() { _ = s.conn.Close(closeUnauthorized, "Unauthorized") })
	}
	_ = s.send([]byte(`{"type":"connection_ack"}`)) // a failure ends the next read
	return nil
}

// reject turns a refused introduction into a close code.
func (s *socket) reject(err error) *breach {
	ctx := s.request.Context()
	note(ctx, s.h.presentAll(ctx, err)) // and the log
	switch domain.Public(ctx, err).Code {
	case domain.CodeInternal:
		return &breach{closeInternal, "Internal server error"}
	case domain.CodeConflictingKeyHeaders:
		return &breach{closeBadMessage, "the header and the first message show different keys"}
	case domain.CodeForbidden:
		return &breach{closeForbidden, "Forbidden"}
	case domain.CodeServiceUnavailable, domain.CodeRateLimited:
		return &breach{closeTryLater, "Try again later"}
	default:
		return &breach{closeUnauthorized, "Unauthorized"}
	}
}

// subscribe starts an operation.
func (s *socket) subscribe(m wireMessage) *breach {
	if s.caller == nil {
		return &breach{closeUnauthorized, "Unauthorized"}
	}
	if m.ID == "" || len(m.ID) > maxOperationID {
		return &breach{closeBadMessage, fmt.Sprintf("an operation needs an id of at most %d bytes", maxOperationID)}
	}
	p, err := bodyParams(m.Payload)
	if err != nil {
		return &breach{closeBadMessage, "the payload of subscribe is not a GraphQL request"}
	}
	ctx, cancel := context.WithCancel(s.caller)
	op := &running{cancel}
	switch known, count := s.register(m.ID, op); {
	case known:
		cancel()
		return &breach{closeDuplicate, fmt.Sprintf("Subscriber for %s already exists", m.ID)}
	case count > s.h.Limits.Operations:
		cancel()
		s.fail(m.ID, s.h.presentAll(s.caller, passed(domain.CodeRateLimited, limitOperations, s.h.Limits.Operations, count,
			fmt.Sprintf("the socket passes the limit %s of %d that run at once", limitOperations, s.h.Limits.Operations))))
		return nil
	}
	// An operation that was completed may still be ending: it keeps its slot,
	// and the client waits.
	select {
	case s.slots <- struct{}{}:
		s.work.Go(func() { s.operate(ctx, m.ID, op, p) })
	case <-s.caller.Done():
		cancel()
	}
	return nil
}

// register reserves an id, unless it is taken or there are too many. It tells
// whether it was taken, and how many operations there are with this one.
func (s *socket) register(id string, op *running) (known bool, count int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, known = s.operations[id]
	count = len(s.operations) + 1
	if !known && count <= s.h.Limits.Operations {
		s.operations[id] = op
	}
	return known, count
}

// complete ends an operation that the client no longer wants.
func (s *socket) complete(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if op, known := s.operations[id]; known {
		delete(s.operations, id)
		op.cancel()
	}
}

// finish frees the id of an operation that has ended. It reports false when
// the client was first, and is told nothing more.
func (s *socket) finish(id string, op *running) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.operations[id] != op {
		return false
	}
	delete(s.operations, id)
	return true
}

// operate carries one operation to its end.
func (s *socket) operate(ctx context.Context, id string, op *running, p params) {
	defer func() { <-s.slots }()
	defer op.cancel()
	errs := s.perform(ctx, id, p)
	switch finished := s.finish(id, op); {
	case !finished || ctx.Err() != nil:
	case errs != nil:
		s.fail(id, errs)
	default:
		_ = s.send(compose("complete", id, nil)) // a failure ends the next read
	}
}

func (s *socket) perform(ctx context.Context, id string, p params) (errs gqlerror.List) {
	ctx, learnt := access.WithRecord(ctx) // operations run at once; the record of the request is not theirs
	learnt.Caller = account.CallerOf(ctx)
	started := time.Now()
	defer func() {
		if reason := recover(); reason != nil {
			errs = s.h.presentAll(ctx, recovered(ctx, reason))
		}
		note(ctx, errs)
		s.account(learnt, started)
	}()
	renewed, err := s.h.renew(ctx)
	if err != nil {
		return s.h.presentAll(ctx, err)
	}
	op, err := s.h.order(renewed, http.Header{}, p, carriesAll)
	if err != nil {
		return s.h.presentAll(renewed, err)
	}
	return s.h.run(renewed, op, func(result []byte) error { return s.send(compose("next", id, result)) })
}

// account notes the use of one operation: each is a request of its own, with
// the id of the socket's.
func (s *socket) account(learnt *access.Record, started time.Time) {
	if s.h.Usage == nil {
		return
	}
	use := learnt.Use()
	use.At, use.Took, use.RequestID = started, time.Since(started), telemetry.RequestID(s.request.Context())
	use.Route, use.Method, use.Status = route, s.request.Method, http.StatusOK
	if use.Failed() {
		use.Status = httpStatus(use.Code)
	}
	s.h.Usage.Record(use)
}

// carriesAll lets every kind of operation through.
func carriesAll(ast.Operation) error { return nil }

func (s *socket) fail(id string, errs gqlerror.List) {
	_ = s.send(compose("error", id, encode(errs))) // a failure ends the next read
}

// compose writes a message about an operation.
func compose(kind, id string, payload []byte) []byte {
	out := make([]byte, 0, len(payload)+len(id)+64)
	out = append(out, `{"type":"`...)
	out = append(out, kind...)
	out = append(out, `","id":`...)
	out = append(out, encode(id)...)
	if payload != nil {
		out = append(out, `,"payload":`...)
		out = append(out, payload...)
	}
	return append(out, '}')
}
