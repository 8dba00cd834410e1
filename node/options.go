package node

import (
	"errors"
	"log/slog"
	"net/http"
	"time"

	"astrolabe/domain"
)

// Options configure a pool. Only Chain and URLs have no default.
type Options struct {
	// Chain is the chain that every upstream must answer for.
	Chain domain.Chain
	// URLs are the upstreams in order of preference. Calls go to the http and
	// https ones, streams to the ws and wss ones; if only one sort is given,
	// the other is derived by exchanging the scheme.
	URLs []string
	// MaxConcurrent is how many calls may be in flight; default 16.
	MaxConcurrent int
	// MaxQueue is how many calls may wait for their turn before the next is
	// ErrBusy; default 4 × MaxConcurrent. Negative means that none may wait.
	MaxQueue int
	// Timeout bounds a whole call, with its waiting and its failover; default
	// 30 s. The caller's deadline counts too.
	Timeout time.Duration
	// MaxResponse is the largest answer and the largest stream message that
	// is read, in bytes; default 64 MiB.
	MaxResponse int64
	// StreamBuffer is how many messages of a stream wait for a slow reader
	// before the stream ends; default 256.
	StreamBuffer int
	// Logger receives what changes in the upstreams' health; default none.
	Logger *slog.Logger
	// Observe is told of every attempt, from many goroutines; default nobody.
	Observe func(Observation)
	// HTTPClient replaces the pool's own client; it stays the caller's to
	// close. Redirects are never followed, whatever it says.
	HTTPClient *http.Client

	clock  clock  // tests set their own
	timing timing // tests shorten it
}

// timing holds the intervals that nobody needs to configure.
type timing struct {
	recheck      time.Duration // how long a proof of identity is good
	survey       time.Duration // how often the upstreams' heads are compared
	ping         time.Duration // how often a stream's connection is tried
	fairPatience time.Duration // a shorter deadline is not held against the upstream
}

func (o Options) withDefaults() Options {
	setDefault(&o.MaxConcurrent, 16)
	setDefault(&o.MaxQueue, 4*o.MaxConcurrent)
	setDefault(&o.Timeout, 30*time.Second)
	setDefault(&o.MaxResponse, 64<<20)
	setDefault(&o.StreamBuffer, 256)
	setDefault(&o.Logger, slog.New(slog.DiscardHandler))
	setDefault(&o.timing.recheck, 5*time.Minute)
	setDefault(&o.timing.survey, 15*time.Second)
	setDefault(&o.timing.ping, 15*time.Second)
	setDefault(&o.timing.fairPatience, min(time.Second, o.Timeout/time.Duration(2*max(len(o.URLs), 1))))
	if o.Observe == nil {
		o.Observe = func(Observation) {}
	}
	if o.clock == nil {
		o.clock = wallClock{}
	}
	return o
}

func setDefault[T comparable](field *T, value T) {
	var zero T
	if *field == zero {
		*field = value
	}
}

func (o Options) check() error {
	if _, err := domain.ParseChain(string(o.Chain)); err != nil {
		return err
	}
	if len(o.URLs) == 0 {
		return errors.New("node: no upstream URL is given")
	}
	if o.MaxConcurrent < 0 || o.Timeout < 0 || o.MaxResponse < 0 || o.StreamBuffer < 0 {
		return errors.New("node: limits must not be negative")
	}
	return nil
}
