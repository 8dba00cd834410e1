package rpc

import (
	"time"

	"astrolabe/access/streams"
)

// NewHastySockets returns a registry that checks keys and pings clients often.
func NewHastySockets() *Sockets {
	s := NewSockets(streams.New(streams.Limit, streams.Each))
	s.timing.check, s.timing.pings, s.timing.pong = 50*time.Millisecond, 2, 2*time.Second
	return s
}
