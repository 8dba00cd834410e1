package graph

import (
	"cmp"
	"log/slog"
	"time"

	"astrolabe/access"
	"astrolabe/domain"
	"astrolabe/domain/account"
	"astrolabe/domain/explorer"
	"astrolabe/graph/limits"
)

// Options are what the facade stands on. Every zero value of a setting means
// its default.
type Options struct {
	// Gate recognises callers and counts what they use.
	Gate *access.Gate
	// Usage reports what workspaces use.
	Usage *account.Usage
	// Services answer every question.
	*explorer.Services
	Chains  []domain.Chain // the chains that are served
	Version string
	Logger  *slog.Logger

	// Origins may open a WebSocket from a browser, beside pages of this very
	// origin.
	Origins []string
	// NoIntrospection hides the schema, and with it suggestions in errors.
	NoIntrospection bool
	// Documents may be named by their ids instead of being sent.
	Documents Documents

	Limits limits.Limits
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

func (o Options) withDefaults() Options {
	o.Limits = o.Limits.WithDefaults()
	o.Budget = cmp.Or(o.Budget, 10*time.Second)
	o.PollEvery = cmp.Or(o.PollEvery, time.Second)
	o.InitTimeout = cmp.Or(o.InitTimeout, 5*time.Second)
	o.KeepAlive = cmp.Or(o.KeepAlive, 15*time.Second)
	o.WriteTimeout = cmp.Or(o.WriteTimeout, 10*time.Second)
	return o
}
