package graph

import (
	"cmp"
	"context"
	"log/slog"
	"net/http"
	"time"

	"astrolabe/domain"
	"astrolabe/domain/chain"
)

// Options are what the facade stands on. Every zero value of a setting means
// its default.
type Options struct {
	Statuses *chain.Statuses
	Cursors  *domain.Cursors
	Chains   []domain.Chain // the chains that are served
	Version  string
	Logger   *slog.Logger

	// Origins may open a WebSocket from a browser, beside pages of this very
	// host.
	Origins []string
	// Authenticate decides who calls; nil lets everyone in.
	Authenticate Authenticate
	// NoIntrospection hides the schema, and with it suggestions in errors.
	NoIntrospection bool

	Limits Limits
	// Budget bounds the time of a query.
	Budget time.Duration
	// PollEvery is how often the heads of chains are looked at while someone
	// follows them.
	PollEvery time.Duration
	// InitTimeout is how long a new socket may wait with connection_init.
	InitTimeout time.Duration
	// KeepAlive is the time between signs of life on a stream.
	KeepAlive time.Duration
	// WriteTimeout is how long a client may leave a message unread.
	WriteTimeout time.Duration
}

// Authenticate decides who sends a request and returns the context that its
// operations run in. It refuses with a domain.Error, of which unauthorized and
// forbidden become the matching HTTP statuses and close codes.
type Authenticate func(ctx context.Context, c Credentials) (context.Context, error)

// Credentials are what a caller shows.
type Credentials struct {
	// Request is the request itself or, for a WebSocket, the one that opened
	// it.
	Request *http.Request
	// Init is the payload of connection_init; nil outside of a WebSocket.
	Init map[string]any
}

func (o Options) withDefaults() Options {
	o.Limits = o.Limits.withDefaults()
	o.Budget = cmp.Or(o.Budget, 10*time.Second)
	o.PollEvery = cmp.Or(o.PollEvery, time.Second)
	o.InitTimeout = cmp.Or(o.InitTimeout, 10*time.Second)
	o.KeepAlive = cmp.Or(o.KeepAlive, 15*time.Second)
	o.WriteTimeout = cmp.Or(o.WriteTimeout, 10*time.Second)
	if o.Authenticate == nil {
		o.Authenticate = func(ctx context.Context, _ Credentials) (context.Context, error) { return ctx, nil }
	}
	return o
}
