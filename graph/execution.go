package graph

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/99designs/gqlgen/graphql"
	"github.com/99designs/gqlgen/graphql/handler/transport"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"astrolabe/access"
	"astrolabe/domain"
	"astrolabe/domain/account"
	"astrolabe/graph/limits"
	"astrolabe/graph/live"
	"astrolabe/telemetry"
)

// execution is the extension around the execution of operations: it bounds
// their time and the size of their results, gives each result its scope and
// its extensions, and ends streams.
type execution struct {
	h        *Handler
	charging charging
}

// ExtensionName names the extension.
func (execution) ExtensionName() string { return "Execution" }

// Validate accepts every schema.
func (execution) Validate(graphql.ExecutableSchema) error { return nil }

// InterceptOperation runs an operation.
func (e execution) InterceptOperation(ctx context.Context, next graphql.OperationHandler) graphql.ResponseHandler {
	op := operationOf(ctx)
	op.executing = true
	if op.socket == nil {
		return e.run(ctx, op, next)
	}
	// Operations run at once on a socket: each has a usage record of its own.
	ctx, record := access.WithRecord(ctx)
	record.Caller = account.CallerOf(ctx)
	started, responses := time.Now(), e.run(ctx, op, next)
	return func(ctx context.Context) *graphql.Response {
		response := responses(ctx)
		if response == nil {
			e.h.recordUse(op.socket, record, started)
		}
		return response
	}
}

// run admits an operation and executes it. A panic ends the operation: gqlgen
// would send its text to the client.
func (e execution) run(ctx context.Context, op *operation, next graphql.OperationHandler) (responses graphql.ResponseHandler) {
	defer func() {
		if reason := recover(); reason != nil {
			responses = e.refuse(ctx, op, recovered(ctx, reason))
			op.failed(op.result().errs, true)
		}
	}()
	ctx, err := e.charging.admit(ctx, op)
	switch {
	case err != nil:
		return e.refuse(ctx, op, err)
	case op.dryRun:
		return graphql.OneShot(&graphql.Response{Data: json.RawMessage("null"), Extensions: map[string]any{"cost": e.cost(op)}})
	case op.streams():
		ctx, ending := live.WithEnding(ctx)
		return e.stream(op, ending, next(ctx))
	default:
		ctx, cancel := domain.WithTimeLimit(ctx, e.h.TimeLimit)
		return e.once(op, cancel, next(ctx))
	}
}

// refuse ends an operation whose caller may not execute it.
func (e execution) refuse(ctx context.Context, op *operation, err error) graphql.ResponseHandler {
	errs := e.h.presentAll(ctx, op.refuse(err))
	note(ctx, errs)
	if op.socket == nil {
		op.failed(errs, false)
		return graphql.OneShot(&graphql.Response{Errors: errs})
	}
	return func(ctx context.Context) *graphql.Response {
		for _, err := range errs {
			transport.AddSubscriptionError(ctx, err)
		}
		return nil
	}
}

// recovered makes of a panic outside of a field what ends the operation.
func (e execution) recovered(ctx context.Context, op *operation, response **graphql.Response) {
	reason := recover()
	if reason == nil {
		return
	}
	errs := e.h.presentAll(ctx, recovered(ctx, reason))
	if op.streams() {
		e.end(ctx, op, errs)
		*response = nil
		return
	}
	*response = e.failed(ctx, op, errs)
}

// once returns the one result of a query or a mutation.
func (e execution) once(op *operation, cancel context.CancelFunc, result graphql.ResponseHandler) graphql.ResponseHandler {
	done := false
	return func(ctx context.Context) (response *graphql.Response) {
		if done {
			return nil
		}
		done = true
		defer cancel()
		defer e.recovered(ctx, op, &response)
		response = result(ctx)
		switch {
		case response == nil && errors.Is(ctx.Err(), context.DeadlineExceeded):
			return e.failed(ctx, op, e.h.presentAll(ctx, ctx.Err()))
		case response == nil:
			return nil // the client has left
		case len(response.Data) > e.h.Limits.ResponseBytes:
			return e.failed(ctx, op, e.h.presentAll(ctx, e.tooLarge(len(response.Data))))
		}
		return response
	}
}

// failed is the result of an operation that could not be completed.
func (e execution) failed(ctx context.Context, op *operation, errs gqlerror.List) *graphql.Response {
	op.failed(errs, true)
	note(ctx, errs)
	return &graphql.Response{Errors: errs}
}

// stream returns the results of a subscription, each of which is charged.
func (e execution) stream(op *operation, ending *live.Ending, results graphql.ResponseHandler) graphql.ResponseHandler {
	ended := false
	return func(ctx context.Context) (response *graphql.Response) {
		if ended {
			return nil
		}
		ended = true // unless there is a result
		defer e.recovered(ctx, op, &response)
		response = results(ctx)
		var errs gqlerror.List
		switch {
		case response == nil && ending.Reason() != nil:
			errs = e.h.presentAll(ctx, ending.Reason())
		case response == nil && op.expired.Load():
			errs = e.h.presentAll(ctx, domain.Errorf(domain.CodeUnauthorized, "The credential that opened the stream has expired or was revoked."))
		case response == nil:
		case response.Data == nil: // the subscription did not begin
			errs = response.Errors
		default:
			err := e.charging.event(ctx, op)
			if err == nil {
				ended = false
				return e.bounded(ctx, response)
			}
			errs = e.h.presentAll(ctx, err)
		}
		e.end(ctx, op, errs)
		return nil
	}
}

// bounded replaces a result of a stream that is too large by an error.
func (e execution) bounded(ctx context.Context, response *graphql.Response) *graphql.Response {
	if len(response.Data) <= e.h.Limits.ResponseBytes {
		return response
	}
	return &graphql.Response{Errors: e.h.presentAll(ctx, e.tooLarge(len(response.Data)))}
}

// end leaves the errors with which a stream ends to its transport.
func (e execution) end(ctx context.Context, op *operation, errs gqlerror.List) {
	note(ctx, errs)
	op.failed(errs, false)
	if op.socket == nil {
		return
	}
	for _, err := range errs {
		transport.AddSubscriptionError(ctx, err)
	}
}

// InterceptResponse gives a result its scope and its extensions. It is also
// called for an operation that is refused, which is charged then.
func (e execution) InterceptResponse(ctx context.Context, next graphql.ResponseHandler) *graphql.Response {
	op := operationOf(ctx)
	if op == nil || !op.executing {
		return e.refused(ctx, op, next(ctx))
	}
	ctx = e.h.resolver.WithScope(ctx)
	if op.kind == ast.Subscription {
		ctx = withRootField(ctx)
	}
	var count *telemetry.StatementCount
	if op.statements {
		ctx, count = telemetry.CountStatements(ctx)
	}
	response := next(ctx)
	if response == nil {
		return nil
	}
	if string(response.Data) == "null" {
		note(ctx, response.Errors)
	}
	if response.Extensions == nil {
		response.Extensions = map[string]any{}
	}
	response.Extensions["cost"] = e.cost(op)
	if op.statements {
		response.Extensions["statements"] = count.N()
	}
	return response
}

// maxReported is how many mistakes of a document are reported at once.
const maxReported = 5

func (e execution) refused(ctx context.Context, op *operation, response *graphql.Response) *graphql.Response {
	if op == nil {
		return response
	}
	if denial := e.charging.refused(ctx, op); denial != nil {
		op.refused(denial)
		response.Errors = e.h.presentAll(ctx, denial)
	}
	response.Errors = response.Errors[:min(len(response.Errors), maxReported)]
	op.failed(response.Errors, false)
	if op.socket == nil {
		note(ctx, response.Errors)
		return response
	}
	ctx, record := access.WithRecord(ctx)
	record.Caller, record.Class = account.CallerOf(ctx), account.Query
	note(ctx, response.Errors)
	e.h.recordUse(op.socket, record, time.Now())
	return response
}

// withRootField places the events of a subscription below its field, so that
// the paths of their errors begin with it.
func withRootField(ctx context.Context) context.Context {
	prepared := graphql.GetOperationContext(ctx)
	fields := graphql.CollectFields(prepared, prepared.Operation.SelectionSet, []string{"Subscription"})
	if len(fields) != 1 {
		return ctx
	}
	return graphql.WithFieldContext(ctx, &graphql.FieldContext{Object: "Subscription", Field: fields[0]})
}

// cost is what clients read in the extensions of a response.
func (e execution) cost(op *operation) any {
	return struct {
		Requested int `json:"requested"`
		Limit     int `json:"limit"`
	}{op.cost, e.h.Limits.Cost}
}

func (e execution) tooLarge(size int) error {
	limit := e.h.Limits.ResponseBytes
	return limits.Exceed(domain.CodePayloadTooLarge, limits.Response, limit, size, fmt.Sprintf(
		"The result has %d bytes; the limit %s is %d. Request fewer items or fields.", size, limits.Response, limit))
}
