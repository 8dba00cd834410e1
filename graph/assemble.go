package graph

import (
	"context"
	"io"
	"sync"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"
)

// assembled is an object whose selected fields are resolved.
type assembled struct {
	plan   *plan
	values []graphql.Marshaler
	few    [6]graphql.Marshaler // room for as many as most objects have
}

func newAssembled(p *plan) *assembled {
	a := &assembled{plan: p}
	if n := len(p.fields); n <= len(a.few) {
		a.values = a.few[:n]
	} else {
		a.values = make([]graphql.Marshaler, n)
	}
	return a
}

// MarshalGQL writes the object.
func (a *assembled) MarshalGQL(w io.Writer) {
	if len(a.values) == 0 {
		_, _ = io.WriteString(w, "{")
	}
	for i, value := range a.values {
		_, _ = io.WriteString(w, a.plan.fields[i].key)
		value.MarshalGQL(w)
	}
	_, _ = io.WriteString(w, "}")
}

// assemble resolves the selected fields of an object. Those that are late, for
// they may have to be read, come after the others and at once. A field that may
// not be null and is makes the object null. The generated code calls it, with
// the names of the types that the object is of.
func assemble[T any](
	ctx context.Context, ec *executionContext, sel ast.SelectionSet, types []string,
	obj T, resolve func(*executionContext, context.Context, graphql.CollectedField, T) graphql.Marshaler, late string,
) graphql.Marshaler {
	plan := ec.plans.of(ec.OperationContext, sel, types, late)
	out := newAssembled(plan)
	for i := range plan.fields {
		if field := &plan.fields[i]; !field.late {
			out.values[i] = resolve(ec, ctx, field.CollectedField, obj)
		}
	}
	switch len(plan.late) {
	case 0:
	case 1:
		i := plan.late[0]
		out.values[i] = resolve(ec, ctx, plan.fields[i].CollectedField, obj)
	default:
		atOnce(plan.late, func(i int) { out.values[i] = resolve(ec, ctx, plan.fields[i].CollectedField, obj) })
	}
	for i, value := range out.values {
		if value == graphql.Null && plan.fields[i].required {
			return graphql.Null
		}
	}
	return out
}

// atOnce calls a function with each of some numbers, without waiting for the
// calls before.
func atOnce(numbers []int, call func(int)) {
	var others sync.WaitGroup
	for _, n := range numbers[1:] {
		others.Go(func() { call(n) })
	}
	call(numbers[0])
	others.Wait()
}

// showField resolves a field that is a member of its object.
func showField[V any](
	ctx context.Context, ec *executionContext, object string, field graphql.CollectedField,
	value V, marshal func(*executionContext, context.Context, ast.SelectionSet, V) graphql.Marshaler,
) (shown graphql.Marshaler) {
	ctx = graphql.WithFieldContext(ctx, &graphql.FieldContext{Object: object, Field: field})
	defer recoverField(ctx, ec, &shown)
	return marshal(ec, ctx, field.Selections, value)
}

// readField resolves a field by a method of its object, which may have to read
// and may fail.
func readField[T, V any](
	ctx context.Context, ec *executionContext, object string, field graphql.CollectedField,
	obj T, read func(T, context.Context) (V, error), marshal func(*executionContext, context.Context, ast.SelectionSet, V) graphql.Marshaler,
) (shown graphql.Marshaler) {
	ctx = graphql.WithFieldContext(ctx, &graphql.FieldContext{Object: object, Field: field})
	defer recoverField(ctx, ec, &shown)
	value, err := read(obj, ctx)
	if err != nil {
		ec.Error(ctx, graphql.AddFieldLocationToError(ctx, err))
		return graphql.Null
	}
	return marshal(ec, ctx, field.Selections, value)
}

// recoverField makes of a panic an error of the field, which is null.
func recoverField(ctx context.Context, ec *executionContext, shown *graphql.Marshaler) {
	if reason := recover(); reason != nil {
		ec.Error(ctx, ec.Recover(ctx, reason))
		*shown = graphql.Null
	}
}
