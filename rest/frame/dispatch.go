package frame

import (
	"log/slog"
	"net/http"
	"net/url"

	"github.com/go-chi/chi/v5"
	"github.com/klauspost/compress/gzhttp"

	"astrolabe/access"
	"astrolabe/domain"
)

// Dispatcher turns operations into HTTP handlers.
type Dispatcher struct {
	Logger *slog.Logger
	// Gate authenticates callers and enforces rate limits.
	Gate *access.Gate
	// Chains are the chains of this deployment.
	Chains []domain.Chain
	// Origins may use sessions from a browser.
	Origins []string
	// Cursors encodes and decodes the cursors of lists.
	Cursors *domain.Cursors
}

// Handler returns the handler of an operation: it sets the operation's fixed
// headers, authorises the caller, validates the parameters, limits time and
// body size, and renders the answer.
func (d *Dispatcher) Handler(op Operation) http.HandlerFunc {
	headers := []fixed{
		{"X-Service-Route-Class", []string{string(op.Class)}},
		{"Cache-Control", []string{CacheControl(op.Cache)}},
	}
	if op.RPCClass != "" {
		headers = append(headers, fixed{"X-Service-Rpc-Class", []string{string(op.RPCClass)}})
	}
	if op.Uncompressed {
		headers = append(headers, fixed{gzhttp.HeaderNoCompression, []string{"secret"}})
	}
	return func(w http.ResponseWriter, r *http.Request) {
		setFixed(w.Header(), headers)
		if op.Serve != nil {
			op.Serve(w, r)
			return
		}
		ctx, cancel := domain.WithTimeLimit(r.Context(), op.Timeout)
		defer cancel()
		r, err := d.admit(op, w, r.WithContext(ctx))
		if err != nil {
			Fail(w, r, d.Logger, err)
			return
		}
		if op.Accepts != "" {
			r.Body = newMovingBody(w, r)
		}
		if op.MaxBody > 0 {
			r.Body = http.MaxBytesReader(w, r.Body, op.MaxBody)
		}
		call, err := d.call(&op, r)
		if err != nil {
			Fail(w, r, d.Logger, err)
			return
		}
		answer, err := op.Handle(r.Context(), call)
		if err != nil {
			access.Challenge(w.Header(), err, op.Permission)
			Fail(w, r, d.Logger, op.named(err))
			return
		}
		switch answer := answer.(type) {
		case Document:
			answer.write(w, r, op.Success)
		case Versioned:
			answer.write(w, r, op.Success)
		case Replayed:
			Write(w, r, op.Replay, JSONMedia, Encode(answer.Body))
		default:
			Write(w, r, op.Success, JSONMedia, Encode(answer))
		}
	}
}

// call reads and validates a request's parameters.
func (d *Dispatcher) call(op *Operation, r *http.Request) (*Call, error) {
	c := &Call{request: r, cursors: d.Cursors, operation: op, path: make(map[string]string, len(op.Params))}
	for _, p := range op.Params {
		if p.In != InPath {
			continue
		}
		text, err := url.PathUnescape(chi.URLParam(r, p.Name))
		if err != nil {
			return nil, p.refuse("is not a valid path segment.")
		}
		if c.path[p.Name], err = p.canonical(text); err != nil {
			return nil, err
		}
	}
	if op.takesChain() {
		c.Chain = domain.Chain(c.path["chain"])
		if op.Only == "" || op.Only == c.Chain {
			if err := c.Chain.Served(d.Chains); err != nil {
				return nil, err
			}
		}
	}
	var err error
	c.query, err = readQuery(op.Params, r.URL.RawQuery)
	return c, err
}
