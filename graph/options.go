package graph

import (
	"cmp"
	"log/slog"
	"time"

	"astrolabe/access"
	"astrolabe/access/streams"
	"astrolabe/domain"
	"astrolabe/domain/account"
	"astrolabe/domain/explorer"
	"astrolabe/graph/limits"
)

// Options are the dependencies and settings of a Handler. The zero value of a
// setting is its default.
type Options struct {
	// Gate authenticates callers and charges their rate limits.
	Gate *access.Gate
	// Usage reports the usage of workspaces.
	Usage *account.Usage
	// Services are the domain services that the resolvers call.
	*explorer.Services
	Chains  []domain.Chain // the chains that are served
	Version string
	Logger  *slog.Logger

	// Origins lists the origins, besides the server's own, whose pages may use
	// sessions and open WebSockets.
	Origins []string
	// NoIntrospection disables introspection, and suggestions in errors.
	NoIntrospection bool
	// Documents are the persisted documents that clients can send by ID.
	Documents Documents

	Limits limits.Limits
	// Streams are the open streams of all facades; nil for a registry of the
	// handler's own, with the limits above.
	Streams *streams.Registry
	// TimeLimit is the time that a request may take, from its admission to the last
	// byte of its result. For a stream it limits the admission.
	TimeLimit time.Duration
	// ResultMemory bounds what all results together take in bytes until they are
	// sent. Large operations wait for their turn.
	ResultMemory int
	// PollEvery is the polling interval of chain heads while there are subscribers.
	PollEvery time.Duration
	// PollJobsEvery is the polling interval of each verification job that has
	// subscribers. They are notified of its states besides.
	PollJobsEvery time.Duration
	// InitTimeout is the time that a new WebSocket has to send connection_init.
	InitTimeout time.Duration
	// KeepAlive is the interval of keep-alive messages on a stream.
	KeepAlive time.Duration
	// WriteTimeout is the time that a client has to read a message.
	WriteTimeout time.Duration
}

func (o Options) withDefaults() Options {
	o.Limits = o.Limits.WithDefaults()
	if o.Streams == nil {
		o.Streams = streams.New(o.Limits.Streams, o.Limits.CallerStreams)
	}
	o.Limits.Streams, o.Limits.CallerStreams = o.Streams.Limits()
	o.TimeLimit = cmp.Or(o.TimeLimit, 10*time.Second)
	o.ResultMemory = cmp.Or(o.ResultMemory, 192<<20)
	o.PollEvery = cmp.Or(o.PollEvery, time.Second)
	o.PollJobsEvery = cmp.Or(o.PollJobsEvery, 30*time.Second)
	o.InitTimeout = cmp.Or(o.InitTimeout, 5*time.Second)
	o.KeepAlive = cmp.Or(o.KeepAlive, 15*time.Second)
	o.WriteTimeout = cmp.Or(o.WriteTimeout, 10*time.Second)
	return o
}
