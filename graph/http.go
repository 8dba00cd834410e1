package graph

import (
	"context"
	"errors"
	"net/http"
	"strconv"

	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"
	"github.com/vektah/gqlparser/v2/parser"

	"astrolabe/access"
	"astrolabe/domain"
	"astrolabe/graph/fault"
)

const allowed = "GET, HEAD, POST, OPTIONS"

// serveRequest answers GET and POST by the GraphQL-over-HTTP specification: it
// negotiates the media type, authenticates the caller and checks the form of
// the request, lets gqlgen's transports execute the operation, and chooses the
// status by what came of it. All of it shares one time limit, except the events
// of a stream.
func (h *Handler) serveRequest(w http.ResponseWriter, r *http.Request) {
	w.Header().Add("Vary", "Accept")
	accept := accepts(r.Header)
	if r.Method == http.MethodOptions {
		w.Header().Set("Allow", allowed)
		w.WriteHeader(http.StatusNoContent)
		return
	}
	client := r.Context()
	limited, cancel := domain.WithTimeLimit(client, h.TimeLimit)
	defer cancel()
	r = r.WithContext(limited)
	defer func() {
		switch reason := recover(); reason {
		case nil:
		case http.ErrAbortHandler:
			panic(reason)
		default:
			h.refuse(w, r, accept, recovered(r.Context(), reason))
		}
	}()
	ctx, p, err := h.admit(w, r, accept)
	if err != nil {
		h.refuse(w, r, accept, err)
		return
	}
	streams := accept.json == "" || accept.stream && h.kindOf(p) == ast.Subscription
	x := &exchange{header: w.Header(), documentID: p.DocumentID, carries: carries(r.Method, streams), limited: !streams}
	defer x.end()
	ctx = withExchange(ctx, x)
	if streams {
		h.serveEvents(client, w, r.WithContext(withCredentials(ctx, credentials{request: r})), x, p)
		return
	}
	answer := new(answerWriter)
	h.server.ServeHTTP(answer, p.request(ctx, r, accept.json))
	if client.Err() == nil {
		h.conclude(w, r, accept, x, answer)
	}
}

// conclude writes what came of an operation.
func (h *Handler) conclude(w http.ResponseWriter, r *http.Request, accept accepted, x *exchange, answer *answerWriter) {
	switch o := x.result(); {
	case o.refusal != nil:
		h.refuseWith(w, r, accept, o.refusal, o.errs)
	case o.errs != nil:
		status := http.StatusOK // which application/json wants for a refused operation
		if code, _ := o.errs[0].Extensions["code"].(domain.Code); o.executed || accept.json != mediaJSON {
			status = httpStatus(code)
		}
		write(w, o.errs, status, accept.json, failure(o.errs))
	case answer.body != nil:
		write(w, nil, max(answer.status, http.StatusOK), accept.json, answer.body)
	}
}

// admit checks everything about a request but its operation. It returns the
// context with the caller, and the parameters.
func (h *Handler) admit(w http.ResponseWriter, r *http.Request, accept accepted) (context.Context, params, error) {
	switch r.Method {
	case http.MethodGet, http.MethodHead, http.MethodPost:
	default:
		return nil, params{}, wrongMethod(allowed, "Send operations by GET or POST.")
	}
	if accept.json == "" && !accept.stream {
		return nil, params{}, errNotAcceptable
	}
	ctx, err := h.authenticate(credentials{request: r})
	if err != nil {
		return nil, params{}, err
	}
	p, err := h.readParams(w, r)
	if err != nil { // reading it is charged, too
		if denial := h.charge(ctx, w.Header(), 1); denial != nil {
			err = denial
		}
	}
	return ctx, p, err
}

// kindOf returns the kind of the operation that a request executes, as far as
// its text tells. It chooses the transport; gqlgen checks the operation.
func (h *Handler) kindOf(p params) ast.Operation {
	ctx := context.Background()
	text := p.Query
	if text == "" {
		text = h.textOf(p)
	}
	doc, known := h.documents.Get(ctx, text)
	if !known {
		parsed, err := parser.ParseQueryWithTokenLimit(&ast.Source{Input: text}, h.Limits.Tokens)
		if err != nil {
			return ""
		}
		doc = parsed
	}
	if op := doc.Operations.ForName(p.OperationName); op != nil {
		return op.Operation
	}
	return ""
}

var (
	errNotAcceptable = domain.Errorf(domain.CodeUnsupportedMediaType, "The Accept header allows none of the response types: %s, %s and %s.", mediaResponse, mediaJSON, mediaStream)
	errSubscription  = domain.Errorf(domain.CodeInvalidRequest, "A subscription needs an event stream (Accept: %s) or a WebSocket.", mediaStream)
)

// methodError is a request by the wrong method.
type methodError struct {
	cause *domain.Error
	allow string
}

// Error returns the text of the domain's error.
func (e *methodError) Error() string { return e.cause.Error() }

// Unwrap returns the domain's error.
func (e *methodError) Unwrap() error { return e.cause }

func wrongMethod(allow, message string) error {
	return &methodError{domain.Errorf(domain.CodeMethodNotAllowed, "%s", message), allow}
}

// carries says which operations a request may hold: a GET has no effects, so
// a mutation needs a POST, and a subscription needs an event stream.
func carries(method string, streams bool) func(ast.Operation) error {
	return func(kind ast.Operation) error {
		switch {
		case kind == ast.Mutation && method != http.MethodPost:
			return wrongMethod(http.MethodPost, "Send mutations by POST.")
		case kind == ast.Subscription && method == http.MethodHead:
			return wrongMethod("GET, POST", "Send subscriptions by GET or POST.")
		case kind == ast.Subscription && !streams:
			return errSubscription
		default:
			return nil
		}
	}
}

// misused reports whether the request itself is at fault, so that no media
// type may call it a success.
func misused(err error) bool {
	_, wrong := errors.AsType[*methodError](err)
	return wrong || errors.Is(err, errNoQuery)
}

// refuse answers a request that fails as a whole.
func (h *Handler) refuse(w http.ResponseWriter, r *http.Request, accept accepted, err error) {
	errs := h.presentAll(r.Context(), err)
	note(r.Context(), errs)
	h.refuseWith(w, r, accept, err, errs)
}

// refuseWith does the same with errors that were presented already.
func (h *Handler) refuseWith(w http.ResponseWriter, r *http.Request, accept accepted, err error, errs gqlerror.List) {
	status := httpStatus(domain.Public(r.Context(), err).Code)
	if errors.Is(err, errNotAcceptable) {
		status = http.StatusNotAcceptable
	}
	if wrong, ok := errors.AsType[*methodError](err); ok {
		w.Header().Set("Allow", wrong.allow)
	}
	if denial, ok := errors.AsType[*fault.Denied](err); ok {
		access.Challenge(w.Header(), denial.Cause, denial.Scope)
	}
	write(w, errs, status, accept.orJSON(), failure(errs))
}

func (a accepted) orJSON() string {
	if a.json == "" {
		return mediaJSON
	}
	return a.json
}

// answerWriter collects what a transport of gqlgen writes. The status and the
// headers of the response are chosen when it is complete.
type answerWriter struct {
	header http.Header
	status int
	body   []byte
}

// Header returns headers that are not sent.
func (a *answerWriter) Header() http.Header {
	if a.header == nil {
		a.header = http.Header{}
	}
	return a.header
}

// WriteHeader keeps the status.
func (a *answerWriter) WriteHeader(status int) { a.status = status }

// Write keeps the body, which comes at once.
func (a *answerWriter) Write(body []byte) (int, error) {
	a.body = append(a.body, body...)
	return len(body), nil
}

// write sends a whole body at once.
func write(w http.ResponseWriter, errs gqlerror.List, status int, media string, body []byte) {
	header := w.Header()
	for _, err := range errs {
		if after, ok := err.Extensions["retryAfterSeconds"].(int); ok && status != http.StatusOK {
			header.Set("Retry-After", strconv.Itoa(after))
		}
	}
	header.Set("Cache-Control", "private, no-store")
	header.Set("Content-Type", media+"; charset=utf-8")
	header.Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(status)
	_, _ = w.Write(body) // the client may have gone
}
