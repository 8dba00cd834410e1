package main

import (
	"fmt"
	"go/ast"
	"strings"
)

// resolved is an expression that resolves a field of an object: a call of the
// field's function or, where it has no arguments, no directive and no resolver,
// what this function comes to.
//
// A scalar member cannot fail and has nothing below it: it is marshalled as it
// is, without the context that errors and children would look into. The others
// are resolved by functions of graph/assemble.go.
func (s *source) resolved(f *ast.FuncDecl, object string) string {
	whole := "ec." + f.Name.Name + "(ctx, field, obj)"
	call := s.calls(f.Body, "graphql.ResolveField")
	if call == nil || !s.is(call.Args[5], "nil") {
		return whole
	}
	returned, marshal := results(call.Args[4]), results(call.Args[6])
	if returned == nil || marshal == nil {
		return whole
	}
	value, marshals := s.of(returned[0]), s.of(marshal[0].(*ast.CallExpr).Fun)
	member, isMember := strings.CutPrefix(value, "obj.")
	method, isRead := strings.CutSuffix(member, "(ctx)")
	static := "(*executionContext)." + strings.TrimPrefix(marshals, "ec.")
	switch receiver := f.Type.Params.List[2].Type; {
	case !isMember || strings.Contains(member, "fc.Args"):
		return whole
	case len(returned) == 2 && s.isScalar(f):
		return fmt.Sprintf("%s(ctx, field.Selections, %s)", marshals, value)
	case len(returned) == 2:
		return fmt.Sprintf("showField(ctx, ec, %q, field, %s, %s)", object, value, static)
	case isRead:
		return fmt.Sprintf("readField(ctx, ec, %q, field, obj, (%s).%s, %s)", object, s.of(receiver), method, static)
	default:
		return whole
	}
}

// results are what a function returns that does nothing else.
func results(function ast.Expr) []ast.Expr {
	literal, ok := function.(*ast.FuncLit)
	if !ok || len(literal.Body.List) != 1 {
		return nil
	}
	if returned, ok := literal.Body.List[0].(*ast.ReturnStmt); ok {
		return returned.Results
	}
	return nil
}

// isScalar reports whether a field has nothing below it.
func (s *source) isScalar(f *ast.FuncDecl) bool {
	context := s.methods["fieldContext"+f.Name.Name]
	return context != nil && s.calls(context.Body, "graphql.NewScalarFieldContext") != nil
}
