package graph

import (
	"context"
	"net/http"
	"sync"

	"astrolabe/access/streams"
	"astrolabe/graph/live"
)

// session is one client on a WebSocket.
type session struct {
	request *http.Request // that opened the socket
	stream  *streams.Stream
	denied  error // why the credential in the headers of the handshake is refused
	expiry  expiry

	mu      sync.Mutex
	socket  *live.Socket    // nil until the handshake is done
	leaving bool            // the server is going away
	caller  context.Context // of the authenticated caller; nil before
}

type sessionKey struct{}

func sessionOf(ctx context.Context) *session {
	s, _ := ctx.Value(sessionKey{}).(*session)
	return s
}

func (s *session) begin(socket *live.Socket) {
	s.mu.Lock()
	s.socket = socket
	leaving := s.leaving
	s.mu.Unlock()
	if leaving {
		s.goodbye()
	}
}

func (s *session) opened() *live.Socket {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.socket
}

// authenticated keeps the context of the caller.
func (s *session) authenticated(caller context.Context) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.caller = caller
}

func (s *session) callerContext() context.Context {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.caller
}

// goodbye closes the socket because the server goes.
func (s *session) goodbye() {
	s.mu.Lock()
	s.leaving = true
	s.mu.Unlock()
	if socket := s.opened(); socket != nil {
		go socket.Shut(live.CloseGoingAway, "The server is going away.")
	}
}

// cut disconnects the client.
func (s *session) cut() {
	if socket := s.opened(); socket != nil {
		socket.Cut()
	}
}

// end disconnects the client and waits for its operations.
func (s *session) end(abort context.CancelFunc) {
	abort()
	s.expiry.stop()
	if socket := s.opened(); socket != nil {
		socket.End()
	}
}
