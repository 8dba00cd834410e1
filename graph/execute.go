package graph

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"astrolabe/domain"
)

// run executes an operation and hands each result to emit: one of a query,
// all of a subscription until ctx ends, each of which is charged. It returns
// the errors of an operation that did not start or was cut off. Of a dry run
// the result is null.
func (h *Handler) run(ctx context.Context, op *operation, emit func(result []byte) error) (errs gqlerror.List) {
	defer func() {
		if reason := recover(); reason != nil {
			errs = h.presentAll(ctx, recovered(ctx, reason))
		}
	}()
	if op.dryRun {
		_ = emit(h.render(ctx, op, nothing())) // the client may have gone
		return nil
	}
	if !op.streams() {
		bounded, cancel := context.WithTimeout(ctx, h.Budget)
		defer cancel()
		ctx = bounded
	}
	ctx, up := withUpstream(withPlans(ctx, op.plans))
	responses, ctx := h.executor.DispatchOperation(ctx, op.OperationContext)
	for count := 0; ; count++ {
		if up.pull != nil {
			up.pull(ctx)
		}
		one := h.withScope(ctx, op)
		response := responses(one)
		switch {
		case response == nil && up.dropped.Load() != nil:
			return h.presentAll(ctx, up.dropped.Load())
		case response == nil && count == 0 && errors.Is(ctx.Err(), context.DeadlineExceeded):
			return h.presentAll(ctx, ctx.Err())
		case response == nil:
			return nil
		case response.Data == nil:
			return response.Errors
		}
		if op.streams() {
			if err := h.chargeEvent(ctx, op); err != nil {
				return h.presentAll(ctx, err)
			}
		}
		result := h.render(one, op, response)
		if !op.streams() {
			recycle(response.Data)
		}
		if err := emit(result); err != nil {
			return nil
		}
	}
}

// render writes one result. One that is too large gives way to an error.
func (h *Handler) render(ctx context.Context, op *operation, response *graphql.Response) []byte {
	if bytes.Equal(response.Data, []byte("null")) {
		note(ctx, response.Errors)
	}
	out := make([]byte, 0, len(response.Data)+128)
	out = append(out, '{')
	if len(response.Errors) > 0 {
		out = append(out, `"errors":`...)
		out = append(out, encode(response.Errors)...)
		out = append(out, ',')
	}
	out = append(out, `"data":`...)
	out = append(out, response.Data...)
	out = append(out, `,"extensions":{"cost":{"requested":`...)
	out = strconv.AppendInt(out, int64(op.cost), 10)
	out = append(out, `,"limit":`...)
	out = strconv.AppendInt(out, int64(h.Limits.Cost), 10)
	out = append(out, '}')
	if op.showStatements {
		out = append(out, `,"statements":`...)
		out = strconv.AppendInt(out, int64(scopeOf(ctx).statements.N()), 10)
	}
	out = append(out, `}}`...)
	if limit := h.Limits.ResponseBytes; len(out) > limit {
		return failure(h.presentAll(ctx, passed(domain.CodePayloadTooLarge, limitResponse, limit, len(out),
			fmt.Sprintf("the result passes the limit %s of %d: ask for fewer items or fields", limitResponse, limit))))
	}
	return out
}

// failure writes a result that is nothing but errors.
func failure(errs gqlerror.List) []byte {
	return append(append([]byte(`{"errors":`), encode(errs)...), '}')
}

// encode writes JSON without HTML escapes. It is given wire types only, which
// always encode.
func encode(v any) []byte {
	var buffer bytes.Buffer
	encoder := json.NewEncoder(&buffer)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(v); err != nil {
		panic(fmt.Errorf("a wire type does not encode: %w", err))
	}
	return bytes.TrimSuffix(buffer.Bytes(), []byte{'\n'})
}
