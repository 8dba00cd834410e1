package graph

import (
	"context"
	"time"
)

// alarm is a time at which something is to be done about a socket. No
// goroutine waits for it: sockets are many, and quiet most of the time.
type alarm int

// The alarms.
const (
	unintroduced alarm = iota // the client does not say who it is
	outlived                  // what it said has expired
	quiet                     // it is to show that it is there
	alarms
)

// set sets an alarm, in place of the one before.
func (s *socket) set(a alarm, in time.Duration, act func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ended {
		return
	}
	s.stop(a)
	s.alarms[a] = time.AfterFunc(in, s.whileOpen(act))
}

// unset takes an alarm back.
func (s *socket) unset(a alarm) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.stop(a)
}

func (s *socket) stop(a alarm) {
	if s.alarms[a] != nil {
		s.alarms[a].Stop()
	}
}

// silence takes all alarms back: nothing more is begun.
func (s *socket) silence() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ended = true
	for a := range alarms {
		s.stop(a)
	}
}

// whileOpen makes an act one of the socket's: it is not begun after the socket
// has ended, which waits for it.
func (s *socket) whileOpen(act func()) func() {
	return func() {
		s.mu.Lock()
		ended := s.ended
		if !ended {
			s.work.Add(1)
		}
		s.mu.Unlock()
		if !ended {
			defer s.work.Done()
			act()
		}
	}
}

// ping asks whether the client is there, now and later again. One that does not
// answer is cut off.
func (s *socket) ping() {
	ctx, cancel := context.WithTimeout(s.request.Context(), s.h.WriteTimeout)
	defer cancel()
	if s.conn.Ping(ctx) != nil {
		_ = s.conn.CloseNow()
		return
	}
	s.set(quiet, s.h.KeepAlive, s.ping)
}
