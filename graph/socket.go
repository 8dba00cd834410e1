package graph

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/99designs/gqlgen/graphql/handler/transport"
	"github.com/coder/websocket"

	"astrolabe/access"
	"astrolabe/access/streams"
	"astrolabe/domain"
	"astrolabe/domain/account"
	"astrolabe/graph/limits"
	"astrolabe/graph/live"
	"astrolabe/telemetry"
)

// serveSocket hands a WebSocket to gqlgen's transport and waits for its end. A
// client whose handshake carries a valid credential is admitted as its caller
// and not as an unknown one.
func (h *Handler) serveSocket(w http.ResponseWriter, r *http.Request) {
	if err := h.checkHandshake(r); err != nil {
		h.refuse(w, r, accepted{}, err)
		return
	}
	ctx, abort := context.WithCancel(context.WithoutCancel(r.Context()))
	defer abort()
	s := new(session)
	s.stream = &streams.Stream{
		Holder: streams.HeldByAddress(account.ClientName(h.Gate.Client(r))), Goodbye: s.goodbye,
		Abort: func() {
			abort()
			s.cut()
		},
		Recheck: func() { h.recheckSocket(s) },
	}
	s.request = r.WithContext(context.WithValue(ctx, sessionKey{}, s))
	if carried(r.Header) {
		caller, err := h.authenticate(credentials{request: s.request})
		if s.denied = err; err == nil {
			s.stream.Caller = account.CallerOf(caller)
			s.stream.Holder = streams.HeldBy(s.stream.Caller)
		}
	}
	if err := tooMany(h.Streams.Enter(s.stream)); err != nil {
		h.refuse(w, r, accepted{}, err)
		return
	}
	defer h.Streams.Leave(s.stream)
	defer s.end(abort)
	h.server.ServeHTTP(w, s.request)
}

// sockets accepts WebSockets for gqlgen's transport.
type sockets struct{ h *Handler }

// Accept upgrades a request. The origin was checked with the handshake.
func (a sockets) Accept(w http.ResponseWriter, r *http.Request, _ transport.WebsocketAcceptOptions) (transport.WebsocketConn, error) {
	conn, err := websocket.Accept(w, r, &websocket.AcceptOptions{
		Subprotocols: []string{live.Subprotocol}, InsecureSkipVerify: true,
		OnPingReceived: func(context.Context, []byte) bool { return sessionOf(r.Context()).opened().Pinged() },
	})
	if err != nil {
		return nil, err
	}
	socket := live.NewSocket(r.Context(), conn, live.SocketOptions{
		InitTimeout: a.h.InitTimeout, KeepAlive: a.h.KeepAlive, WriteTimeout: a.h.WriteTimeout,
		MessageBytes: a.h.Limits.BodyBytes, Messages: a.h.Limits.Messages, Operations: a.h.Limits.Operations,
		Check:   checkSubscribe,
		TooMany: func(count int) json.RawMessage { return encode(a.h.presentAll(r.Context(), a.tooMany(count))) },
	})
	sessionOf(r.Context()).begin(socket)
	return socket, nil
}

func (a sockets) tooMany(count int) error {
	limit := a.h.Limits.Operations
	return limits.Exceed(domain.CodeRateLimited, limits.Operations, limit, count, fmt.Sprintf(
		"The socket has %d operations running; the limit is %d (%s). Complete one first.", count-1, limit, limits.Operations))
}

// documentIDExtension is where the id of a document travels that a client sent
// in the payload of a subscribe message: gqlgen knows no such parameter.
const documentIDExtension = "documentId"

// checkSubscribe checks the payload of a subscribe message as the body of a
// POST is checked.
func checkSubscribe(payload json.RawMessage) (json.RawMessage, error) {
	p, err := bodyParams(payload)
	if err != nil {
		return nil, err
	}
	delete(p.Extensions, documentIDExtension)
	if p.DocumentID != "" {
		if p.Extensions == nil {
			p.Extensions = map[string]any{}
		}
		p.Extensions[documentIDExtension] = p.DocumentID
	}
	return encode(p), nil
}

// initSocket authenticates the client by the headers of its handshake or by the
// payload of connection_init. The context carries the close code of a refusal.
func (h *Handler) initSocket(ctx context.Context, payload transport.InitPayload) (context.Context, *transport.InitPayload, error) {
	s := sessionOf(ctx)
	given := access.Credentials{Key: payload.GetString("apiKey"), PageToken: payload.GetString("pageToken")}
	var caller context.Context
	err := s.denied
	if err == nil || given != (access.Credentials{}) {
		caller, err = h.authenticate(credentials{s.request, given})
	}
	if err == nil {
		caller = withCredentials(caller, credentials{s.request, given})
		err = h.charge(caller, http.Header{}, 1)
	}
	if err == nil {
		err = tooMany(h.Streams.Authenticate(s.stream, account.CallerOf(caller)))
	}
	if err != nil {
		note(ctx, h.presentAll(ctx, err)) // and the log
		code, reason := closeCode(ctx, err)
		return transport.AppendCloseReason(transport.WithWebsocketCloseCode(ctx, int(code)), reason), nil, err
	}
	s.authenticated(caller)
	s.expiry.set(account.CallerOf(caller).Until, s.stream.Recheck)
	return caller, nil, nil
}

// tooMany names the limit of one stream too many as GraphQL's errors do.
func tooMany(err error) error {
	e, ok := errors.AsType[*streams.Exceeded](err)
	if !ok {
		return err
	}
	name, cause := limits.Streams, e.Cause()
	if e.Caller {
		name = limits.Caller
	}
	return limits.Exceed(cause.Code, name, e.Max, e.Actual, cause.Message).RetryAfter(cause.RetryAfter)
}

// recheckSocket closes a socket whose credential has ended.
func (h *Handler) recheckSocket(s *session) {
	ctx := s.callerContext()
	if ctx == nil { // connection_init is checked anyway
		return
	}
	caller, err := h.recheck(ctx)
	switch {
	case err != nil:
		code, reason := closeCode(ctx, err)
		go s.opened().Shut(code, reason) // which waits for the client
	case caller != nil:
		s.expiry.set(caller.Until, s.stream.Recheck)
	}
}

// closeCode is how a socket is closed whose client is refused.
func closeCode(ctx context.Context, err error) (websocket.StatusCode, string) {
	switch domain.Public(ctx, err).Code {
	case domain.CodeInternal:
		return live.CloseInternal, "Internal server error"
	case domain.CodeConflictingKeyHeaders:
		return live.CloseBadMessage, "The header and connection_init contain different API keys."
	case domain.CodeForbidden:
		return live.CloseForbidden, "Forbidden"
	case domain.CodeServiceUnavailable, domain.CodeRateLimited:
		return live.CloseTryLater, "Try again later"
	default:
		return live.CloseUnauthorized, "Unauthorized"
	}
}

// recordUse accounts for one operation of a socket: each is a request of its
// own, with the id of the socket's.
func (h *Handler) recordUse(s *session, record *access.Record, started time.Time) {
	if h.Usage == nil {
		return
	}
	use := record.Use()
	use.At, use.Took, use.RequestID = started, time.Since(started), telemetry.RequestID(s.request.Context())
	use.Route, use.Method, use.Status = route, s.request.Method, http.StatusOK
	if use.Failed() {
		use.Status = httpStatus(use.Code)
	}
	h.Usage.Record(use)
}
