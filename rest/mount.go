package rest

import (
	"net/http"
	"strings"

	"astrolabe/domain"
)

// Mount is a handler of another package that shares this facade's middleware.
type Mount struct {
	Pattern string // chi pattern
	Handler http.Handler
	// Page marks files for browsers, whose own plain failures are rendered in
	// the one shape like every other.
	Page bool
}

func (s *server) mount(m Mount) {
	handler := m.Handler
	if m.Page {
		handler = s.inOneShape(handler)
	}
	s.routes.Handle(m.Pattern, handler)
}

// inOneShape replaces plain failures of a handler by the envelope.
func (s *server) inOneShape(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		plain := &plainFailure{ResponseWriter: w}
		next.ServeHTTP(plain, r)
		switch plain.status {
		case 0:
		case http.StatusMethodNotAllowed:
			fail(w, r, s.Logger, domain.Errorf(domain.CodeMethodNotAllowed, "this route takes %s", w.Header().Get("Allow")))
		default:
			s.unknownRoute(w, r)
		}
	})
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
