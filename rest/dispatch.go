package rest

import (
	"context"
	"net/http"
	"net/url"

	"github.com/go-chi/chi/v5"

	"astrolabe/domain"
)

// operation makes the handler of one row: it sets what every answer of the
// row bears, checks the parameters, bounds time and body, and renders.
func (s *server) operation(op Operation) http.HandlerFunc {
	headers := []fixed{
		{"X-Service-Route-Class", []string{string(op.Class)}},
		{"Cache-Control", []string{cacheControl(op.Cache)}},
	}
	return func(w http.ResponseWriter, r *http.Request) {
		setFixed(w.Header(), headers)
		ctx, cancel := context.WithTimeout(r.Context(), op.Budget)
		defer cancel()
		r, err := s.admit(op, w, r.WithContext(ctx))
		if err != nil {
			fail(w, r, s.Logger, err)
			return
		}
		if op.MaxBody > 0 {
			r.Body = http.MaxBytesReader(w, r.Body, op.MaxBody)
		}
		call, err := s.call(&op, r)
		if err != nil {
			fail(w, r, s.Logger, err)
			return
		}
		answer, err := op.Handle(r.Context(), call)
		if err != nil {
			fail(w, r, s.Logger, err)
			return
		}
		if doc, ok := answer.(document); ok {
			if doc.link != "" {
				w.Header().Set("Link", doc.link)
			}
			write(w, r, op.Success, doc.media, doc.body)
			return
		}
		write(w, r, op.Success, jsonMedia, encode(answer))
	}
}

// call reads and checks a request's parameters.
func (s *server) call(op *Operation, r *http.Request) (*Call, error) {
	c := &Call{Request: r, operation: op, path: make(map[string]string, len(op.Params))}
	for _, p := range op.Params {
		if p.In != InPath {
			continue
		}
		text, err := url.PathUnescape(chi.URLParam(r, p.Name))
		if err != nil {
			return nil, p.refuse("is not a valid path segment")
		}
		if c.path[p.Name], err = p.canonical(text); err != nil {
			return nil, err
		}
	}
	if op.takesChain() {
		c.Chain = domain.Chain(c.path["chain"])
		if !s.serves(c.Chain) {
			return nil, domain.Errorf(domain.CodeUnsupportedChain, "%s is not served here", c.Chain)
		}
	}
	var err error
	c.query, err = readQuery(op.Params, r.URL.RawQuery)
	return c, err
}
