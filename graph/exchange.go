package graph

import (
	"context"
	"net/http"
	"sync"
	"sync/atomic"

	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"
)

// exchange is the state that the HTTP layer and gqlgen's extensions share about
// one request, or about one operation on a WebSocket.
type exchange struct {
	header     http.Header // of the response; rate limits go there
	documentID string
	carries    func(ast.Operation) error // whether the transport carries the kind of operation
	limited    bool                      // the operation shares the time limit of its request
	socket     *session                  // nil for a plain request or an event stream
	expired    atomic.Bool               // the credential ended while the stream was open

	measured, coerced bool // how far the operation was prepared

	mu      sync.Mutex // an event stream's pings are written while its operation ends
	verdict verdict
	atEnd   func() // frees what the result holds; nil if it holds nothing
}

// endsWith keeps what to do when the response has been sent.
func (x *exchange) endsWith(free func()) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.atEnd = free
}

// end frees what the result holds. It may be called more than once.
func (x *exchange) end() {
	x.mu.Lock()
	free := x.atEnd
	x.atEnd = nil
	x.mu.Unlock()
	if free != nil {
		free()
	}
}

// verdict is why a request has no result, or a stream ends.
type verdict struct {
	// refusal says that the request or its caller is at fault, whatever its
	// operation is: the status says so for every media type.
	refusal error
	// errs are what the client reads.
	errs     gqlerror.List
	executed bool // the operation was executed and could not be completed
}

// refused keeps that the request or its caller is at fault.
func (x *exchange) refused(err error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.verdict.refusal = err
}

// failed keeps why there is no result.
func (x *exchange) failed(errs gqlerror.List, executed bool) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.verdict.errs, x.verdict.executed = errs, executed
}

// result returns why there is no result; the zero value when there is one.
func (x *exchange) result() verdict {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.verdict
}

type exchangeKey struct{}

func withExchange(ctx context.Context, x *exchange) context.Context {
	return context.WithValue(ctx, exchangeKey{}, x)
}

// exchangeOf returns the exchange of a request. On a WebSocket every operation
// gets a new one.
func exchangeOf(ctx context.Context) *exchange {
	if x, ok := ctx.Value(exchangeKey{}).(*exchange); ok {
		return x
	}
	return &exchange{header: http.Header{}, carries: carriesAll, socket: sessionOf(ctx)}
}

// carriesAll accepts every kind of operation.
func carriesAll(ast.Operation) error { return nil }
