package graph

import (
	"errors"
	"net/http"
	"strconv"

	"github.com/klauspost/compress/gzhttp"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"astrolabe/access"
	"astrolabe/domain"
)

const allowed = "GET, HEAD, POST, OPTIONS"

// serveRequest answers GET and POST by the GraphQL-over-HTTP specification.
func (h *Handler) serveRequest(w http.ResponseWriter, r *http.Request) {
	w.Header().Add("Vary", "Accept")
	accept := accepts(r.Header)
	defer func() {
		switch reason := recover(); reason {
		case nil:
		case http.ErrAbortHandler:
			panic(reason)
		default:
			h.refuse(w, r, accept, recovered(r.Context(), reason))
		}
	}()
	if r.Method == http.MethodOptions {
		w.Header().Set("Allow", allowed)
		w.WriteHeader(http.StatusNoContent)
		return
	}
	p, err := h.admit(w, r, accept)
	if err != nil {
		h.refuse(w, r, accept, err)
		return
	}
	r = p.request
	op, err := h.order(r.Context(), w.Header(), p.params, carries(r.Method, accept))
	_, isDenied := errors.AsType[*denied](err)
	switch isStream := op != nil && op.streams(); {
	case misused(err), isDenied:
		h.refuse(w, r, accept, err)
	case accept.json == "" || isStream:
		h.serveEvents(w, r, op, err)
	case err != nil:
		h.refuseOperation(w, r, accept, err)
	default:
		h.answer(w, r, op, accept.json)
	}
}

// admitted is a request that may be answered: its caller is known and its
// parameters are read.
type admitted struct {
	request *http.Request
	params  params
}

// admit checks everything about a request but its operation.
func (h *Handler) admit(w http.ResponseWriter, r *http.Request, accept accepted) (admitted, error) {
	switch r.Method {
	case http.MethodGet, http.MethodHead, http.MethodPost:
	default:
		return admitted{}, wrongMethod(allowed, "operations are sent by GET or POST")
	}
	if accept.json == "" && !accept.stream {
		return admitted{}, errNotAcceptable
	}
	ctx, err := h.enter(visit{request: r})
	if err != nil {
		return admitted{}, err
	}
	p, err := h.readParams(w, r)
	if err != nil { // which had to be looked at
		if denial := h.take(ctx, w.Header(), 1); denial != nil {
			err = denial
		}
	}
	return admitted{request: r.WithContext(ctx), params: p}, err
}

var (
	errNotAcceptable = domain.Errorf(domain.CodeUnsupportedMediaType, "answers are %s, %s or %s", mediaResponse, mediaJSON, mediaStream)
	errSubscription  = domain.Errorf(domain.CodeInvalidRequest, "a subscription needs an event stream (Accept: %s) or a WebSocket", mediaStream)
)

// methodError is a request by the wrong method.
type methodError struct {
	cause *domain.Error
	allow string
}

// Error returns the text of the domain's error.
func (e *methodError) Error() string { return e.cause.Error() }

// Unwrap makes the error one of the domain.
func (e *methodError) Unwrap() error { return e.cause }

func wrongMethod(allow, message string) error {
	return &methodError{domain.Errorf(domain.CodeMethodNotAllowed, "%s", message), allow}
}

// carries says which operations a request may hold: a GET has no effects, so
// a mutation needs a POST, and a subscription needs a client that reads
// events.
func carries(method string, accept accepted) func(ast.Operation) error {
	return func(kind ast.Operation) error {
		switch {
		case kind == ast.Mutation && method != http.MethodPost:
			return wrongMethod(http.MethodPost, "a mutation is sent by POST")
		case kind == ast.Subscription && method == http.MethodHead:
			return wrongMethod("GET, POST", "a subscription is sent by GET or POST")
		case kind == ast.Subscription && !accept.stream:
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

// answer executes a query or a mutation.
func (h *Handler) answer(w http.ResponseWriter, r *http.Request, op *operation, media string) {
	if op.Operation.Operation == ast.Mutation {
		w.Header().Set(gzhttp.HeaderNoCompression, "secret") // the answer may show a new key
	}
	var result []byte
	failed := h.run(r.Context(), op, func(one []byte) error {
		result = one
		return nil
	})
	switch {
	case failed != nil:
		code, _ := failed[0].Extensions["code"].(domain.Code)
		write(w, r, failed, httpStatus(code), media, failure(failed))
	case result != nil:
		write(w, r, nil, http.StatusOK, media, result)
	}
}

// refuse answers a request that fails as a whole.
func (h *Handler) refuse(w http.ResponseWriter, r *http.Request, accept accepted, err error) {
	status := httpStatus(domain.Public(r.Context(), err).Code)
	if errors.Is(err, errNotAcceptable) {
		status = http.StatusNotAcceptable
	}
	if wrong, ok := errors.AsType[*methodError](err); ok {
		w.Header().Set("Allow", wrong.allow)
	}
	if denial, ok := errors.AsType[*denied](err); ok {
		access.Challenge(w.Header(), denial.cause, denial.scope)
	}
	errs := h.presentAll(r.Context(), err)
	write(w, r, errs, status, accept.orJSON(), failure(errs))
}

// refuseOperation answers a request whose operation is at fault. Clients of
// application/json are told with status 200, as that media type wants.
func (h *Handler) refuseOperation(w http.ResponseWriter, r *http.Request, accept accepted, err error) {
	if accept.json != mediaJSON {
		h.refuse(w, r, accept, err)
		return
	}
	errs := h.presentAll(r.Context(), err)
	write(w, r, errs, http.StatusOK, mediaJSON, failure(errs))
}

func (a accepted) orJSON() string {
	if a.json == "" {
		return mediaJSON
	}
	return a.json
}

// write sends a whole body at once.
func write(w http.ResponseWriter, r *http.Request, errs gqlerror.List, status int, media string, body []byte) {
	note(r.Context(), errs)
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
