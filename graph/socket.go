package graph

import (
	"context"
	"net/http"
	"sync"
	"time"

	"github.com/coder/websocket"

	"astrolabe/domain/account"
)

// The close codes of graphql-transport-ws, and those of WebSocket itself that
// a socket uses.
const (
	closeGoingAway    = websocket.StatusGoingAway
	closeTryLater     = websocket.StatusTryAgainLater
	closeBadMessage   = websocket.StatusCode(4400)
	closeUnauthorized = websocket.StatusCode(4401)
	closeForbidden    = websocket.StatusCode(4403)
	closeSubprotocol  = websocket.StatusCode(4406)
	closeInitTimeout  = websocket.StatusCode(4408)
	closeDuplicate    = websocket.StatusCode(4409)
	closeManyInits    = websocket.StatusCode(4429)
	closeInternal     = websocket.StatusCode(4500)
)

// socket is one client on a WebSocket.
type socket struct {
	h       *Handler
	conn    *websocket.Conn
	stream  *stream
	request *http.Request // that opened the socket; its context is the socket's

	initialised bool            // connection_init has come
	caller      context.Context // of operations; nil until the caller is known

	slots chan struct{} // one for each operation that runs
	work  sync.WaitGroup

	mu         sync.Mutex
	operations map[string]*running // by id
	alarms     [alarms]*time.Timer
	ended      bool
}

// serveSocket opens a socket and waits until the client is known. The
// conversation then goes on without the request: what a server keeps of one is
// more than a quiet socket needs.
func (h *Handler) serveSocket(w http.ResponseWriter, r *http.Request) {
	if err := h.checkHandshake(r); err != nil {
		h.refuse(w, r, accepted{}, err)
		return
	}
	ctx, abort := context.WithCancel(context.WithoutCancel(r.Context()))
	leaving, goodbye := context.WithCancel(ctx)
	stranger := holder{name: account.ClientName(h.Gate.Client(r))}
	one := &stream{holder: stranger, goodbye: goodbye, abort: abort}
	if err := h.streams.enter(one); err != nil {
		abort()
		h.refuse(w, r, accepted{}, err)
		return
	}
	s := &socket{
		h: h, stream: one, request: r.WithContext(ctx),
		operations: map[string]*running{}, slots: make(chan struct{}, h.Limits.Operations),
	}
	handedOver := false
	defer func() {
		if !handedOver {
			s.end()
		}
	}()
	if s.conn = accept(w, r); s.conn == nil {
		return // the answer is written
	}
	s.conn.SetReadLimit(int64(h.Limits.BodyBytes))
	s.set(unintroduced, h.InitTimeout, func() { _ = s.conn.Close(closeInitTimeout, "Connection initialisation timeout") })
	s.set(quiet, h.KeepAlive, s.ping)
	context.AfterFunc(leaving, s.whileOpen(s.goodbye))
	for s.caller == nil {
		if !s.listen() {
			return
		}
	}
	handedOver = true
	go s.converse()
}

// accept turns a request into a socket of the subprotocol, nil when that fails.
func accept(w http.ResponseWriter, r *http.Request) *websocket.Conn {
	// The origin was checked with the handshake.
	conn, err := websocket.Accept(slim{w}, r, &websocket.AcceptOptions{Subprotocols: []string{subprotocol}, InsecureSkipVerify: true})
	if err != nil {
		return nil
	}
	if conn.Subprotocol() != subprotocol {
		_ = conn.Close(closeSubprotocol, "the subprotocol must be "+subprotocol)
		return nil
	}
	return conn
}

// converse reads messages until the client leaves or breaks the protocol.
func (s *socket) converse() {
	defer s.end()
	defer func() {
		if reason := recover(); reason != nil {
			s.reject(recovered(s.caller, reason)) // into the log
			_ = s.conn.Close(closeInternal, "Internal server error")
		}
	}()
	for s.listen() {
		continue
	}
}

// end closes the socket and waits for what it has begun.
func (s *socket) end() {
	s.silence()
	s.stream.abort()
	s.work.Wait()
	if s.conn != nil {
		_ = s.conn.CloseNow()
	}
	s.h.streams.leave(s.stream)
}

// goodbye closes the socket because the server goes.
func (s *socket) goodbye() {
	if s.request.Context().Err() == nil {
		_ = s.conn.Close(closeGoingAway, "the server is going away")
	}
}

// listen reads a message, false when there will be no more: the client has left
// or has broken the protocol.
func (s *socket) listen() bool {
	kind, text, err := s.conn.Read(s.request.Context())
	if err != nil {
		return false
	}
	if broken := s.receive(kind, text); broken != nil {
		_ = s.conn.Close(broken.code, broken.reason)
		return false
	}
	return true
}

// send writes a message. A client that leaves it unread for too long is cut
// off.
func (s *socket) send(message []byte) error {
	ctx, cancel := context.WithTimeout(s.request.Context(), s.h.WriteTimeout)
	defer cancel()
	return s.conn.Write(ctx, websocket.MessageText, message)
}
