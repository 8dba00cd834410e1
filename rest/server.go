package rest

import (
	"log/slog"
	"net/http"
	"strings"
	"time"

	"github.com/go-chi/chi/v5"

	"astrolabe/access"
	"astrolabe/access/streams"
	"astrolabe/domain"
	"astrolabe/domain/account"
	"astrolabe/domain/explorer"
	"astrolabe/domain/gateway"
	"astrolabe/rest/frame"
	"astrolabe/rest/rpc"
	"astrolabe/telemetry"
)

// Options are the dependencies and settings of the facade.
type Options struct {
	Logger  *slog.Logger
	Metrics *telemetry.Metrics
	Tracing *telemetry.Tracing // nil where there is no collector
	Health  *telemetry.Health
	Version string
	Chains  []domain.Chain // of this deployment
	*explorer.Services
	// Gateways forward JSON-RPC, by chain; chains without a node have none.
	Gateways map[domain.Chain]*gateway.Gateway
	// Sockets are the WebSockets of the gateways; nil for a registry that
	// nobody else needs.
	Sockets *rpc.Sockets
	// Gate authenticates callers and enforces rate limits.
	Gate *access.Gate
	// Usage records and reports the usage of workspaces.
	Usage *account.Usage

	// Overloaded reports whether only health checks may be answered on the
	// connection of a request; nil means never.
	Overloaded func(*http.Request) bool

	// Now is the clock of generated bodies; nil means time.Now.
	Now func() time.Time

	// Origins may send credentials from a browser.
	Origins []string
	// Mounts are handlers of other facades that share this one's middleware.
	Mounts []Mount
}

type server struct {
	Options
	table  []frame.Operation
	routes *chi.Mux
	// classes are the route classes by pattern.
	classes map[string]frame.RouteClass
	// barred are patterns without GET and HEAD that would otherwise match a
	// pattern with a path parameter.
	barred map[string]bool
}

// Handler serves all operations on /v1 and /api/v1, the landing page, the
// documents, the health checks and the mounts.
func Handler(o Options) http.Handler {
	s := &server{Options: o, routes: chi.NewMux(), classes: map[string]frame.RouteClass{}, barred: map[string]bool{}}
	if s.Sockets == nil {
		s.Sockets = rpc.NewSockets(streams.New(streams.Limit, streams.Each))
	}
	s.table = s.operations()
	dispatcher := s.dispatcher()
	for _, op := range s.table {
		handler := dispatcher.Handler(op)
		for _, path := range op.Paths() {
			s.classes[path] = op.Class
			for _, method := range op.Methods() {
				s.routes.Method(method, path, handler)
			}
		}
	}
	s.bar()
	s.get(livePath, o.Health.Live)
	s.get(readyPath, o.Health.Ready)
	s.get("/", s.landing())
	s.errorPages()
	for _, m := range o.Mounts {
		s.mount(m)
	}
	s.routes.NotFound(s.unknownRoute)
	s.routes.MethodNotAllowed(s.unknownMethod)
	return s.trace(s.observe(compress(s.recover(s.crossOrigin(s.shed(s.routes))))))
}

func (s *server) dispatcher() *frame.Dispatcher {
	return &frame.Dispatcher{Logger: s.Logger, Gate: s.Gate, Chains: s.Chains, Origins: s.Origins, Cursors: s.Cursors}
}

// bar answers 405 to GET and HEAD on paths that support neither.
func (s *server) bar() {
	for _, op := range s.table {
		for _, path := range op.Paths() {
			if s.routes.Find(chi.NewRouteContext(), http.MethodGet, path) != path {
				s.barred[path] = true
			}
		}
	}
	for path := range s.barred {
		s.get(path, s.unknownMethod)
	}
}

// Table returns the operation table without a server, with everything that can be
// enabled, for the generator of the OpenAPI document.
func Table() []frame.Operation { return new(server).operations() }

// get registers a handler for GET and for HEAD, which net/http answers
// without the body.
func (s *server) get(path string, handler http.HandlerFunc) {
	s.routes.Get(path, handler)
	s.routes.Head(path, handler)
}

func (s *server) unknownRoute(w http.ResponseWriter, r *http.Request) {
	frame.Fail(w, r, s.Logger, domain.Errorf(domain.CodeUnsupportedRoute, "This route does not exist. GET /openapi.json lists all routes."))
}

func (s *server) unknownMethod(w http.ResponseWriter, r *http.Request) {
	for _, m := range s.Mounts {
		if m.Pattern == r.URL.Path && !m.Page { // it handles all methods itself, also those that chi does not know
			s.serveMount(m, w, r)
			return
		}
	}
	allowed := s.allowed(r)
	if len(allowed) == 0 { // chi does not know the method
		s.unknownRoute(w, r)
		return
	}
	w.Header().Set("Allow", strings.Join(allowed, ", "))
	s.setClass(w.Header(), s.pattern(r, allowed[0]))
	if r.Method == http.MethodOptions {
		w.WriteHeader(http.StatusNoContent)
		return
	}
	frame.Fail(w, r, s.Logger, domain.Errorf(domain.CodeMethodNotAllowed, "This route does not support %s. Supported methods: %s.", knownMethod(r.Method), strings.Join(allowed, ", ")))
}

// setClass names the route class of a pattern in the response. Patterns without
// a class keep the default.
func (s *server) setClass(header http.Header, pattern string) {
	if class, ok := s.classes[pattern]; ok {
		header.Set("X-Service-Route-Class", string(class))
	}
}

// allowed lists the methods of the requested path, none for an unknown path.
func (s *server) allowed(r *http.Request) []string {
	var methods []string
	for _, method := range []string{http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodDelete} {
		pattern := s.pattern(r, method)
		if pattern == "" || s.barred[pattern] && (method == http.MethodGet || method == http.MethodHead) {
			continue
		}
		methods = append(methods, method)
	}
	if methods == nil {
		return nil
	}
	return append(methods, http.MethodOptions)
}

// pattern returns the route pattern of the requested path for a method, empty if
// there is none.
func (s *server) pattern(r *http.Request, method string) string {
	path := r.URL.RawPath
	if path == "" {
		path = r.URL.Path
	}
	return s.routes.Find(chi.NewRouteContext(), method, path)
}
