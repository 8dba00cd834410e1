package graph

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/99designs/gqlgen/graphql"
	"github.com/99designs/gqlgen/graphql/handler/transport"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"astrolabe/access"
	"astrolabe/domain"
	"astrolabe/domain/account"
	"astrolabe/graph/live"
	"astrolabe/telemetry"
)

// execution is the extension around the execution of operations: it bounds
// their time and the size of their results, gives each result its scope and
// its extensions, and ends streams.
type execution struct {
	h        *Handler
	charging charging
	prices   prices
	known    introspections
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
			op.end()
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
	limited, cancel := e.limit(ctx, op)
	limited, err := e.charging.admit(limited, op)
	if err != nil {
		defer cancel()
		return e.refuse(limited, op, err)
	}
	if !op.dryRun && op.prepared == nil {
		err = e.reserve(limited, op)
	}
	switch {
	case err != nil:
		defer cancel()
		return e.busy(limited, op, err)
	case op.dryRun:
		cancel()
		return graphql.OneShot(&graphql.Response{Data: json.RawMessage("null"), Extensions: map[string]any{"cost": e.cost(op)}})
	case op.prepared != nil:
		cancel()
		extensions := map[string]any{"cost": e.cost(op)}
		if op.statements {
			extensions["statements"] = 0
		}
		return graphql.OneShot(&graphql.Response{Data: op.prepared, Extensions: extensions})
	case op.streams():
		cancel() // the limit was for the admission
		ctx, ending := live.WithEnding(account.WithCaller(ctx, account.CallerOf(limited)))
		return e.stream(op, ending, next(ctx))
	default:
		return e.once(op, cancel, next(limited))
	}
}

// limit bounds the time of an operation, unless its request does.
func (e execution) limit(ctx context.Context, op *operation) (context.Context, context.CancelFunc) {
	if op.limited {
		return ctx, func() {}
	}
	return domain.WithTimeLimit(ctx, e.h.TimeLimit)
}

// reserve reserves the memory of a result. The events of a stream are small, and
// a mutation that was begun is not ended.
func (e execution) reserve(ctx context.Context, op *operation) error {
	cost := op.cost
	if op.kind != ast.Query {
		cost = 0
	}
	reserved, err := e.h.memory.reserve(ctx, cost)
	if err != nil {
		return err
	}
	op.memory = reserved
	op.endsWith(reserved.release)
	return nil
}

// busy ends an operation that waited for memory in vain. It used nothing, and its
// status says so for every media type.
func (e execution) busy(ctx context.Context, op *operation, err error) graphql.ResponseHandler {
	e.h.Gate.Settle(ctx, op.header, account.Query, op.charge(), 1)
	responses := e.refuse(ctx, op, err)
	op.failed(op.result().errs, true)
	return responses
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
		e.charging.settle(ctx, op)
		ended := op.meter.ended()
		if response == nil {
			ended = context.Cause(ctx)
		}
		switch {
		case errors.Is(ended, context.Canceled):
			return nil // the client has left
		case ended != nil:
			return e.failed(ctx, op, e.h.presentAll(ctx, ended))
		case len(response.Data) > e.h.Limits.ResponseBytes:
			return e.failed(ctx, op, e.h.presentAll(ctx, tooLarge(e.h.Limits, len(response.Data))))
		}
		if op.introspection != nil && len(response.Errors) == 0 {
			e.known.add(*op.introspection, response.Data)
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
				return e.bounded(ctx, op, response)
			}
			errs = e.h.presentAll(ctx, err)
		}
		e.end(ctx, op, errs)
		return nil
	}
}

// bounded replaces a result of a stream that passed a limit by an error.
func (e execution) bounded(ctx context.Context, op *operation, response *graphql.Response) *graphql.Response {
	err := op.meter.ended()
	if err == nil && len(response.Data) > e.h.Limits.ResponseBytes {
		err = tooLarge(e.h.Limits, len(response.Data))
	}
	if err == nil {
		return response
	}
	return &graphql.Response{Errors: e.h.presentAll(ctx, err)}
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
	switch op.kind {
	case ast.Subscription:
		ctx = withRootField(e.metered(ctx, op))
	case ast.Query:
		ctx = e.metered(ctx, op)
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

// metered returns the context of a result whose fields are counted.
func (e execution) metered(ctx context.Context, op *operation) context.Context {
	if op.meter != nil { // the previous event was sent
		op.meter.stop(nil)
		op.memory.release()
	}
	ctx, op.meter = withMeter(ctx, &e.h.Limits, e.prices, op.memory)
	if op.kind == ast.Subscription {
		op.meter.cost.Add(1) // its root field, which began with the stream
	}
	return ctx
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

// costReport is what clients read in the extensions of a response: the cost that
// the operation was admitted for, and what its result used of it.
type costReport struct {
	Requested int  `json:"requested"`
	Actual    *int `json:"actual,omitempty"` // nil if nothing was executed
	Limit     int  `json:"limit"`
}

func (e execution) cost(op *operation) costReport {
	report := costReport{Requested: op.cost, Limit: e.h.Limits.Cost}
	switch {
	case op.dryRun:
	case op.prepared != nil:
		report.Actual = &op.cost
	case op.meter != nil:
		report.Actual = new(op.used())
	}
	return report
}
