package rest

import (
	"net/http"
	"strings"
)

// Mount is a handler of another package that shares this facade's middleware.
type Mount struct {
	Pattern string // chi pattern
	Handler http.Handler
	// Page marks files for browsers: GET and HEAD only, and a missing file is
	// rendered in the one shape like every other failure.
	Page bool
}

func (s *server) mount(m Mount) {
	if m.Page {
		s.get(m.Pattern, s.inOneShape(m.Handler))
		return
	}
	s.routes.Handle(m.Pattern, m.Handler)
}

// inOneShape replaces plain failures of a page, which are missing files, by
// the envelope.
func (s *server) inOneShape(next http.Handler) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		plain := &plainFailure{ResponseWriter: w}
		next.ServeHTTP(plain, r)
		if plain.status != 0 {
			s.unknownRoute(w, r)
		}
	}
}

// plainFailure holds back a failure that is written as plain text.
type plainFailure struct {
	http.ResponseWriter
	status int // of the failure held back; zero when there is none
}

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
