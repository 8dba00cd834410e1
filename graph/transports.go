package graph

import (
	"context"
	"net/http"

	"github.com/99designs/gqlgen/graphql"
	"github.com/99designs/gqlgen/graphql/errcode"
	"github.com/vektah/gqlparser/v2/gqlerror"
)

// refusingTransport is one of gqlgen's, with an executor that refuses
// operations in one way.
type refusingTransport struct {
	h *Handler
	graphql.Transport
}

// Do implements graphql.Transport.
func (t refusingTransport) Do(w http.ResponseWriter, r *http.Request, executor graphql.GraphExecutor) {
	t.Transport.Do(w, r, refusingExecutor{t.h, executor})
}

// refusingExecutor makes every error before execution a refusal, panics
// included. On a WebSocket gqlgen would send some of them as results,
// unpresented, and a panic would end the socket.
type refusingExecutor struct {
	h *Handler
	graphql.GraphExecutor
}

// CreateOperationContext implements graphql.GraphExecutor.
func (e refusingExecutor) CreateOperationContext(ctx context.Context, p *graphql.RawParams) (op *graphql.OperationContext, errs gqlerror.List) {
	x := exchangeOf(ctx)
	ctx = withExchange(ctx, x)
	defer func() {
		if reason := recover(); reason != nil {
			op, errs = new(graphql.OperationContext), gqlerror.List{panicked(ctx, x, reason)}
			op.Stats.SetExtension(operationKey, &operation{exchange: x})
		}
		for _, err := range errs {
			errcode.Set(err, errcode.ValidationFailed)
		}
	}()
	return e.GraphExecutor.CreateOperationContext(ctx, p)
}

// panicked is the error of a panic while an operation was prepared. The library
// that coerces variables panics on some values that no type fits: that is the
// client's fault.
func panicked(ctx context.Context, x *exchange, reason any) *gqlerror.Error {
	if x.measured && !x.coerced {
		return &gqlerror.Error{Message: "The variables do not have the types that the operation declares."}
	}
	err := recovered(ctx, reason)
	return &gqlerror.Error{Err: err, Message: err.Error()}
}

// DispatchError presents a refusal.
func (e refusingExecutor) DispatchError(ctx context.Context, errs gqlerror.List) (response *graphql.Response) {
	defer func() {
		if reason := recover(); reason != nil {
			presented := e.h.presentAll(ctx, recovered(ctx, reason))
			exchangeOf(ctx).failed(presented, true)
			response = &graphql.Response{Errors: presented}
		}
	}()
	return e.GraphExecutor.DispatchError(ctx, errs)
}
