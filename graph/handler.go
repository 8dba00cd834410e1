package graph

import (
	"context"
	"net/http"
	"strings"

	"github.com/99designs/gqlgen/graphql/handler"
	"github.com/99designs/gqlgen/graphql/handler/extension"
	"github.com/99designs/gqlgen/graphql/handler/transport"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/validator/rules"

	"astrolabe/cache"
	"astrolabe/domain"
	"astrolabe/domain/account"
	"astrolabe/graph/exec"
	"astrolabe/graph/live"
	"astrolabe/graph/resolver"
	"astrolabe/telemetry"
)

// Handler serves the schema at one path, by GET and POST, WebSocket and
// server-sent events. Shutdown stops it.
type Handler struct {
	Options

	server    *handler.Server
	resolver  *resolver.Resolver
	hub       hub
	documents documentCache
	texts     textCache
	memory    *memory
}

// hub is what the server needs of the live part beyond what the resolvers do.
type hub interface {
	// Notify says that a chain may have new blocks.
	Notify(c domain.Chain)
	// NotifyJob says that a verification job may have a new state; an empty ID,
	// that any may have.
	NotifyJob(id string)
	// Slow counts the subscribers that were dropped because they did not keep
	// up.
	Slow() uint64
	// Wait returns when nothing runs any more, after the last subscriber left.
	Wait()
}

// route is the path of the handler in usage reports.
const route = "/graphql"

// The sizes of the caches in bytes of text. A parsed document takes about forty
// times the memory of its text.
const (
	documentMemory = 1 << 19
	textMemory     = 4 << 20
)

// New makes a handler. It has no background work while there are no subscribers.
func New(o Options) *Handler {
	h := &Handler{
		Options:   o.withDefaults(),
		documents: documentCache{cache.NewWeighted[string, *ast.QueryDocument](documentMemory)},
		texts:     textCache{cache.NewWeighted[string, string](textMemory)},
	}
	h.memory = newMemory(h.ResultMemory)
	follower := live.NewHub(live.Options{
		Chains: h.Chains, Blocks: h.Blocks, Statuses: h.Statuses, Logger: h.Logger,
		PollEvery: h.PollEvery, PollJobsEvery: h.PollJobsEvery, TimeLimit: h.TimeLimit, ResumeBlocks: h.Limits.ResumeBlocks,
	})
	h.hub = follower
	var sizes map[*ast.FieldDefinition]size // of the schema below
	h.resolver = resolver.New(resolver.Options{
		Services: h.Services, Gate: h.Gate, Usage: h.Usage, Chains: h.Chains, Version: h.Version, Limits: h.Limits, Hub: follower,
		PageSize: func(field *ast.FieldDefinition) int { return sizes[field].assumed },
		Drawn:    countDraw,
	})
	executable := exec.NewExecutableSchema(exec.Config{Resolvers: roots{h.resolver}})
	sizes = sizesOf(executable.Schema())
	h.server = handler.New(executable)
	h.configure(executable.Schema(), sizes)
	return h
}

// configure adds the transports and the extensions, both in the order in which
// gqlgen uses them.
func (h *Handler) configure(schema *ast.Schema, sizes map[*ast.FieldDefinition]size) {
	for _, t := range []refusingTransport{
		{h, transport.Websocket{Implementation: sockets{h}, InitFunc: h.initSocket}},
		{h, transport.SSE{KeepAlivePingInterval: h.KeepAlive}},
		{h, transport.POST{}},
	} {
		h.server.AddTransport(t)
	}
	h.server.SetErrorPresenter(h.presentField)
	h.server.SetRecoverFunc(recovered)
	h.server.SetQueryCache(h.documents)
	h.server.SetParserTokenLimit(h.Limits.Tokens)
	h.server.SetDisableSuggestion(h.NoIntrospection)
	h.server.SetValidationRulesFn(func() *rules.Rules { return validation(!h.NoIntrospection) })
	charging, prices, known := newCharging(h), pricesOf(schema), newIntrospections()
	h.server.Use(opening{})
	h.server.Use(documents{h.Documents})
	h.server.Use(extension.AutomaticPersistedQuery{Cache: h.texts})
	h.server.Use(shapes{limits: h.Limits, noIntrospection: h.NoIntrospection, known: h.documents})
	h.server.Use(pricing{limits: h.Limits, schema: schema, sizes: sizes, prices: prices, known: known})
	h.server.Use(execution{h: h, charging: charging, prices: prices, known: known})
	h.server.Use(metering{})
	if !h.NoIntrospection {
		h.server.Use(extension.Introspection{})
	}
}

// Notify announces that a chain may have new blocks. Without it, subscribers
// receive them after PollEvery.
func (h *Handler) Notify(c domain.Chain) { h.hub.Notify(c) }

// NotifyJob announces that a verification job may have a new state; an empty ID,
// that any may have. Without it, subscribers receive the state after
// PollJobsEvery.
func (h *Handler) NotifyJob(id string) { h.hub.NotifyJob(id) }

// CredentialChanged checks the open streams of one key or session again, and
// closes those whose credential has ended.
func (h *Handler) CredentialChanged(kind account.Kind, subject string) {
	h.Streams.Recheck(func(c *account.Caller) bool { return c.Kind == kind && c.Subject == subject })
}

// CredentialsChanged does the same for all streams, after changes may have gone
// unnoticed.
func (h *Handler) CredentialsChanged() {
	h.Streams.Recheck(func(*account.Caller) bool { return true })
}

// Slow counts the subscribers that were disconnected because they read too slowly.
func (h *Handler) Slow() uint64 { return h.hub.Slow() }

// ServeHTTP serves a request or opens a stream.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	ctx := r.Context()
	if telemetry.RequestID(ctx) == "" {
		r = r.WithContext(telemetry.WithRequestID(ctx, telemetry.ChooseRequestID(r.Header.Get("X-Request-Id"))))
	}
	if strings.EqualFold(r.Header.Get("Upgrade"), "websocket") {
		h.serveSocket(w, r)
		return
	}
	h.serveRequest(w, r)
}

// Shutdown ends all streams: WebSockets close with 1001, event streams end. It
// disconnects those that are still open when ctx ends, and then returns ctx's
// error. The HTTP server waits for requests without a stream. Shutdown may be
// called more than once.
func (h *Handler) Shutdown(ctx context.Context) error {
	err := h.Streams.Shutdown(ctx)
	h.Streams.Wait()
	h.hub.Wait()
	return err
}
