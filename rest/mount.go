package rest

import (
	"net/http"
	"strings"

	"astrolabe/access"
	"astrolabe/rest/frame"
)

// Mount is a handler of another package that shares this facade's middleware.
type Mount struct {
	Pattern string // chi pattern
	Handler http.Handler
	// Class is the route class of its responses; empty means light.
	Class frame.RouteClass
	// Page marks static files: GET and HEAD only, and a missing file gets the
	// error envelope.
	Page bool
}

func (s *server) mount(m Mount) {
	if m.Class != "" {
		s.classes[m.Pattern] = m.Class
	}
	if m.Page {
		s.get(m.Pattern, s.withEnvelope(m.Handler))
		return
	}
	s.routes.HandleFunc(m.Pattern, func(w http.ResponseWriter, r *http.Request) { s.serveMount(m, w, r) })
}

// serveMount sets the route class of a mount and lets it answer.
func (s *server) serveMount(m Mount, w http.ResponseWriter, r *http.Request) {
	s.setClass(w.Header(), m.Pattern)
	access.RecordOf(r.Context()).Class = m.Class
	m.Handler.ServeHTTP(w, r)
}

// withEnvelope replaces the plain-text errors of http.FileServer by the error
// envelope.
func (s *server) withEnvelope(next http.Handler) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		plain := &plainFailure{ResponseWriter: w}
		next.ServeHTTP(plain, r)
		if plain.status != 0 {
			s.unknownRoute(w, r)
		}
	}
}

// plainFailure discards an error that is written as plain text.
type plainFailure struct {
	http.ResponseWriter
	status int // of the discarded error; zero if there is none
}

// Unwrap lets handlers and http.ResponseController reach the writers below.
func (p *plainFailure) Unwrap() http.ResponseWriter { return p.ResponseWriter }

// WriteHeader implements http.ResponseWriter.
func (p *plainFailure) WriteHeader(status int) {
	if status >= http.StatusBadRequest && strings.HasPrefix(p.Header().Get("Content-Type"), "text/plain") {
		p.status = status
		return
	}
	p.ResponseWriter.WriteHeader(status)
}

// Write implements http.ResponseWriter.
func (p *plainFailure) Write(body []byte) (int, error) {
	if p.status != 0 {
		return len(body), nil
	}
	return p.ResponseWriter.Write(body)
}
