package rest

import (
	"log/slog"
	"net/http"
	"strings"

	"github.com/go-chi/chi/v5"

	"astrolabe/access"
	"astrolabe/domain"
	"astrolabe/domain/account"
	"astrolabe/domain/explorer"
	"astrolabe/rest/frame"
	"astrolabe/telemetry"
)

// Options are what the facade stands on.
type Options struct {
	Logger  *slog.Logger
	Metrics *telemetry.Metrics
	Health  *telemetry.Health
	Version string
	Chains  []domain.Chain // the chains that are served
	// Services answer every question.
	*explorer.Services
	// Gate recognises callers and counts what they use.
	Gate *access.Gate
	// Usage notes and reports what workspaces use.
	Usage *account.Usage

	// Origins may call with credentials from a browser.
	Origins []string
	// Mounts are handlers of other facades that share this one's middleware.
	Mounts []Mount
}

// server answers the operations.
type server struct {
	Options
	table  []frame.Operation
	routes *chi.Mux
	// classes are the route classes of the patterns of operations.
	classes map[string]frame.RouteClass
	// barred are patterns whose GET and HEAD would otherwise be taken for
	// another operation, with an argument that looks like them.
	barred map[string]bool
}

// Handler serves every operation of the table on /v1 and /api/v1, the
// documents, health and the mounts.
func Handler(o Options) http.Handler {
	s := &server{Options: o, routes: chi.NewMux(), classes: map[string]frame.RouteClass{}, barred: map[string]bool{}}
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
	s.get("/healthz", o.Health.Live)
	s.get("/readyz", o.Health.Ready)
	s.errorPages()
	for _, m := range o.Mounts {
		s.mount(m)
	}
	s.routes.NotFound(s.unknownRoute)
	s.routes.MethodNotAllowed(s.unknownMethod)
	return s.observe(s.recover(s.crossOrigin(s.routes)))
}

func (s *server) dispatcher() *frame.Dispatcher {
	return &frame.Dispatcher{Logger: s.Logger, Gate: s.Gate, Chains: s.Chains, Origins: s.Origins, Cursors: s.Cursors}
}

// bar refuses GET and HEAD on paths that take neither.
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

// Table returns the operation table without a server behind it: for the
// generator of the OpenAPI document.
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
		if m.Pattern == r.URL.Path && !m.Page { // which judges methods itself, also those that the router does not know
			m.Handler.ServeHTTP(w, r)
			return
		}
	}
	allowed := s.allowed(r)
	if len(allowed) == 0 { // the router does not know the method at all
		s.unknownRoute(w, r)
		return
	}
	w.Header().Set("Allow", strings.Join(allowed, ", "))
	if class, ok := s.classes[s.pattern(r, allowed[0])]; ok {
		w.Header().Set("X-Service-Route-Class", string(class))
	}
	if r.Method == http.MethodOptions {
		w.WriteHeader(http.StatusNoContent)
		return
	}
	frame.Fail(w, r, s.Logger, domain.Errorf(domain.CodeMethodNotAllowed, "This route does not support %s. Supported methods: %s.", knownMethod(r.Method), strings.Join(allowed, ", ")))
}

// allowed lists the methods that the requested path takes, none for a path
// that does not exist.
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

// pattern is that of the route that the requested path has for a method, empty
// when it has none.
func (s *server) pattern(r *http.Request, method string) string {
	path := r.URL.RawPath
	if path == "" {
		path = r.URL.Path
	}
	return s.routes.Find(chi.NewRouteContext(), method, path)
}
