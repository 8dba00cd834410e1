package rpc

import (
	"sync"

	"astrolabe/sim/chain"
)

// hub distributes changes of the chain to the connections.
type hub struct {
	mu       sync.Mutex
	sessions map[*session]struct{}
	closed   bool
}

func newHub() *hub { return &hub{sessions: map[*session]struct{}{}} }

// publish sends a change to every connection. It closes connections that do not
// keep up.
func (h *hub) publish(change chain.Change) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for s := range h.sessions {
		select {
		case s.changes <- change:
		default:
			s.end()
		}
	}
}

// join adds a connection, unless the hub is closed.
func (h *hub) join(s *session) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if !h.closed {
		h.sessions[s] = struct{}{}
	}
	return !h.closed
}

// close ends every connection.
func (h *hub) close() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.closed = true
	for s := range h.sessions {
		s.end()
	}
}

func (h *hub) leave(s *session) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.sessions, s)
}
