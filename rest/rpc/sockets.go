package rpc

import (
	"context"
	"net/http"
	"sync/atomic"
	"time"

	"astrolabe/access/streams"
	"astrolabe/domain"
	"astrolabe/domain/gateway"
)

// Sockets are the open WebSockets of the gateways. They count among the streams
// of all facades, which bound them and end them at a shutdown.
type Sockets struct {
	streams *streams.Registry
	open    atomic.Int64
	slow    atomic.Uint64
	timing  timing // tests shorten it
}

// timing holds the intervals of sockets.
type timing struct {
	check time.Duration // how often the key of an open socket is checked again
	pings int           // the number of checks between two pings
	pong  time.Duration // how long a client may take to answer a ping
	write time.Duration // how long a client may leave a message unread
}

// NewSockets returns the WebSockets of a process.
func NewSockets(all *streams.Registry) *Sockets {
	return &Sockets{
		streams: all,
		timing:  timing{check: 3 * time.Second, pings: 5, pong: 10 * time.Second, write: 10 * time.Second},
	}
}

// Open counts the sockets that are open.
func (s *Sockets) Open() int { return int(s.open.Load()) }

// Slow counts the sockets that were closed because their clients did not read.
func (s *Sockets) Slow() uint64 { return s.slow.Load() }

// enter admits a socket.
func (s *Sockets) enter(ctx context.Context, one *streams.Stream) *gateway.Error {
	if err := s.streams.Enter(one); err != nil {
		return noSocket(domain.Public(ctx, err))
	}
	s.open.Add(1)
	return nil
}

// leave removes a socket that has ended.
func (s *Sockets) leave(one *streams.Stream) {
	s.open.Add(-1)
	s.streams.Leave(one)
}

// noSocket converts the error of one stream too many, and that of a shutdown.
func noSocket(cause *domain.Error) *gateway.Error {
	e := &gateway.Error{Code: gateway.Unavailable, Reason: gateway.ReasonSaturated, Status: http.StatusServiceUnavailable}
	if cause.Code == domain.CodeRateLimited {
		e.Code, e.Reason, e.Status = gateway.RateLimited, gateway.ReasonRateLimited, http.StatusTooManyRequests
	}
	e.Message, e.RetryAfter = cause.Message, cause.RetryAfter
	return e
}
