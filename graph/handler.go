package graph

import (
	"context"
	"net/http"
	"strings"
	"sync/atomic"

	"github.com/99designs/gqlgen/graphql/executor"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/validator/rules"

	"astrolabe/cache"
	"astrolabe/domain"
	"astrolabe/telemetry"
)

// Handler serves the schema at one path: GET and POST, WebSocket and
// server-sent events. Shutdown ends it.
type Handler struct {
	Options

	executor *executor.Executor
	schema   *ast.Schema
	sizes    map[*ast.FieldDefinition]size
	rules    *rules.Rules
	service  *Service

	documents *cache.Weighted[string, *document] // by text
	texts     *cache.Weighted[string, string]    // by the id that is their hash
	streams   *streams
	feed      *feed
	tips      map[domain.Chain]*tips
	charging  chan struct{} // one for each event that is being charged
	reading   chan struct{} // one for each read of a subscriber
	slow      atomic.Uint64 // subscribers that were dropped because they did not keep up
}

// route is where the handler is mounted, as usage names it.
const route = "/graphql"

// How many bytes of operation texts are remembered. A parsed document takes
// some forty times its text.
const (
	documentMemory = 1 << 19
	textMemory     = 4 << 20
)

// New makes a handler. It keeps nothing running while nobody subscribes.
func New(o Options) *Handler {
	h := &Handler{Options: o.withDefaults()}
	executable := NewExecutableSchema(Config{Resolvers: resolvers{h}, Directives: DirectiveRoot{Tier: tier}})
	h.executor = executor.New(executable)
	h.executor.SetErrorPresenter(h.present)
	h.executor.SetRecoverFunc(recovered)
	h.schema = executable.Schema()
	h.sizes = sizesOf(h.schema)
	h.rules = validation(!h.NoIntrospection)
	h.service = describe(h)
	h.documents = cache.NewWeighted[string, *document](documentMemory)
	h.texts = cache.NewWeighted[string, string](textMemory)
	h.streams = newStreams(h.Limits.Streams, h.Limits.CallerStreams)
	h.charging = make(chan struct{}, maxCharging)
	h.feed = &feed{
		statuses: h.Statuses, every: h.PollEvery, budget: h.Budget, logger: h.Logger,
		subscribers: map[*subscriber]struct{}{}, slow: &h.slow,
	}
	h.reading = make(chan struct{}, maxReading)
	h.tips = map[domain.Chain]*tips{}
	for _, c := range h.Chains {
		h.tips[c] = &tips{
			chain: c, blocks: h.Blocks, every: h.PollEvery, budget: h.Budget, logger: h.Logger,
			told: make(chan struct{}, 1),
		}
	}
	return h
}

// The library's schema knows @defer, which no transport here carries.
func init() { delete(parsedSchema.Directives, "defer") }

// Tell says that there may be news of a chain for its subscribers. Without it
// they learn of them by PollEvery. Whoever is told of a block finds it in the
// lists: how the chain stands is read anew.
func (h *Handler) Tell(c domain.Chain) {
	h.Statuses.Renew()
	if s := h.tips[c]; s != nil {
		s.tell()
	}
}

// Slow returns how many subscribers were dropped because they did not keep up.
func (h *Handler) Slow() uint64 { return h.slow.Load() }

// ServeHTTP answers a request or opens a stream.
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

// Shutdown ends every stream: sockets close with 1001, event streams end.
// Those that are still open when ctx ends are cut off, and ctx's error is
// returned. Requests without a stream are the HTTP server's to wait for. It
// may be called more than once.
func (h *Handler) Shutdown(ctx context.Context) error {
	err := h.streams.shutdown(ctx)
	h.feed.wait()
	for _, s := range h.tips {
		s.wait()
	}
	return err
}
