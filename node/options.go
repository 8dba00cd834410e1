package node

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"time"

	"astrolabe/domain"
	"astrolabe/node/pace"
)

// Options configure a pool. Only Chain and URLs have no default.
type Options struct {
	// Chain is the chain that every upstream must serve.
	Chain domain.Chain
	// URLs are the upstreams. Reads are spread over all of them; writes prefer
	// the first. Calls use http and https URLs, streams use ws and wss URLs. If
	// one kind is missing, it is derived from the other.
	URLs []string
	// MaxConcurrent is the maximum number of calls in flight; default 16.
	MaxConcurrent int
	// MaxQueue is the maximum number of waiting calls; further calls return
	// ErrBusy. The default is 4 × MaxConcurrent; negative means none.
	MaxQueue int
	// Caller names the sender of a call by its context, so that no caller takes
	// the whole pool; by default every call is the service's own.
	Caller func(context.Context) Caller
	// Timeout limits a whole call, including waiting and failover; default 30
	// s. The deadline of the caller applies too.
	Timeout time.Duration
	// Limits bound the calls per second to each upstream. Pools of a process that
	// use the same upstreams share them; by default the pool has its own, without
	// a configured rate.
	Limits *pace.Limits
	// Wait lets a call wait until a rate limit allows it, as long as its context
	// does. Timeout then limits each attempt. By default such a call returns
	// Unavailable at once.
	Wait bool
	// Headers are sent with every request to the upstreams that they are for.
	Headers []Header
	// MaxResponse limits the size of a response and of a stream message in
	// bytes; default 64 MiB.
	MaxResponse int64
	// StreamBuffer is the number of buffered stream messages. A slower reader
	// ends the stream; default 256.
	StreamBuffer int
	// Logger logs changes in the health of upstreams; default none.
	Logger *slog.Logger
	// Observe is called for every request, concurrently; default none.
	Observe func(Observation)
	// HTTPClient replaces the client of the pool; the caller closes it.
	// Redirects are never followed.
	HTTPClient *http.Client

	clock  pace.Clock // tests set their own
	timing timing     // tests shorten it
}

// timing holds intervals that are not configurable.
type timing struct {
	recheck      time.Duration // validity of an identity check
	survey       time.Duration // interval of head comparisons
	ping         time.Duration // interval of stream pings
	hedge        time.Duration // after which a forwarded read is sent a second time
	fairPatience time.Duration // a timeout within this time is not counted as a fault
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
	setDefault(&o.timing.hedge, time.Second)
	setDefault(&o.timing.fairPatience, min(time.Second, o.Timeout/time.Duration(2*max(len(o.URLs), 1))))
	if o.Observe == nil {
		o.Observe = func(Observation) {}
	}
	if o.Caller == nil {
		o.Caller = func(context.Context) Caller { return Caller{} }
	}
	if o.Limits == nil {
		o.Limits = pace.NewLimits(0)
	}
	if o.clock == nil {
		o.clock = pace.WallClock{}
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
		return errors.New("node: at least one upstream URL is required")
	}
	if o.MaxConcurrent < 0 || o.Timeout < 0 || o.MaxResponse < 0 || o.StreamBuffer < 0 {
		return errors.New("node: limits must not be negative")
	}
	return nil
}

// Outcome is how an attempt ended. It is a metric label with few values.
type Outcome string

// The outcomes of an attempt.
const (
	OutcomeOK        Outcome = "ok"
	OutcomeNodeError Outcome = "node_error" // the node answered with an error
	OutcomeFault     Outcome = "fault"      // the upstream failed
	OutcomeGivenUp   Outcome = "given_up"   // the caller cancelled
	OutcomeBusy      Outcome = "busy"       // not sent: too many calls, or a rate limit
	OutcomeLimited   Outcome = "limited"    // the upstream refused it for its rate limit
)

// Observation is the outcome of one request to one upstream.
type Observation struct {
	Upstream string // its host; empty if no upstream was chosen
	Method   string
	Outcome  Outcome
	Retry    bool          // an earlier attempt of the same call failed
	Waited   time.Duration // until the limits allowed the request
	Took     time.Duration // from sending it to its response; zero if it was not sent
}
