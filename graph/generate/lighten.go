package main

import (
	"errors"
	"go/ast"
	"go/format"
	"slices"
	"strings"
)

// lighten rewrites generated code.
//
// An object is not assembled in code of its own, a page for each type, but by
// assemble (graph/assemble.go), which is given a function that resolves a field: a
// switch with a line for each field. Fields without arguments, directives and
// resolvers, which are nearly all, have no functions and contexts of their own.
// Lists are marshalled in order (graph/inorder.go). What then nobody calls is
// left out. A reader waits less for his answer, and a builder for the compiler.
func lighten(code []byte) ([]byte, error) {
	for _, rewrite := range []func(*source) (changes int){
		rewriteObjects, rewriteRoots, rewriteLists, dropChildren, keepPlans, reuseBuffers, placeEvents, stopMutations,
		trustDirectives,
	} {
		s, err := parse(code)
		if err != nil {
			return nil, err
		}
		if rewrite(s) == 0 {
			return nil, errors.New("the generated code is not as expected: has the library changed?")
		}
		code = s.edited()
	}
	code, err := dropUnused(code)
	if err != nil {
		return nil, err
	}
	return format.Source(code)
}

// rewriteRoots has the selected fields of a root collected by its plan.
func rewriteRoots(s *source) int {
	return s.every(func(n ast.Node) bool {
		return s.is(n, "graphql.CollectFields") && s.replace(n, "ec.plans.collect")
	})
}

// rewriteLists has lists marshalled in order.
func rewriteLists(s *source) int {
	return s.every(func(n ast.Node) bool {
		return s.is(n, "graphql.MarshalSliceConcurrently") && s.replace(n, "inOrder")
	})
}

// dropChildren leaves out of the contexts of fields how to make those of the
// fields below, for which nobody asks.
func dropChildren(s *source) int {
	return s.every(func(n ast.Node) bool {
		pair, ok := n.(*ast.KeyValueExpr)
		return ok && s.is(pair.Key, "Child") && s.replace(pair, "") && s.skip(pair.End(), ",")
	})
}

// keepPlans gives the execution of an operation its plans.
func keepPlans(s *source) int {
	return s.every(func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.TypeSpec:
			return n.Name.Name == "executionContext" && s.insert(n.Type.(*ast.StructType).Fields.Closing, "\tplans *plans\n")
		case *ast.AssignStmt:
			return s.calls(n, "newExecutionContext") != nil && s.insert(n.End(), "\n\tec.plans = plansOf(ctx)")
		}
		return false
	})
}

// reuseBuffers has the answers of queries and mutations written into buffers
// that were used before (graph/buffer.go); a subscription has one of its own.
func reuseBuffers(s *source) int {
	return s.every(func(n ast.Node) bool {
		body, ok := n.(*ast.FuncLit)
		if !ok {
			return false
		}
		at := slices.IndexFunc(body.Body.List, func(statement ast.Stmt) bool { return s.of(statement) == "var buf bytes.Buffer" })
		return at >= 0 && s.replace(body.Body.List[at], "buf := newBuffer()")
	})
}

// placeEvents has the events of a subscription know its field, so that errors
// below have a whole path.
func placeEvents(s *source) int {
	return s.every(func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		return ok && s.is(call.Fun, "graphql.ResolveFieldStream") && s.insert(call.Args[6].(*ast.FuncLit).Body.Lbrace+1,
			"\n\tctx = graphql.WithFieldContext(ctx, &graphql.FieldContext{Object: \"Subscription\", Field: field})")
	})
}

// stopMutations has nothing done after a mutation that failed: nobody would
// learn of it.
func stopMutations(s *source) int {
	mutation := s.methods["_Mutation"]
	return s.every(func(n ast.Node) bool {
		failed, ok := n.(*ast.IncDecStmt)
		return ok && failed.Pos() > mutation.Pos() && failed.End() < mutation.End() && s.of(failed) == "out.Invalids++" && s.replace(failed, "return graphql.Null")
	})
}

// trustDirectives leaves out the question whether directives are there: New
// gives them all, and a call of one that is not would panic, not pass.
func trustDirectives(s *source) int {
	return s.every(func(n ast.Node) bool {
		guard, ok := n.(*ast.IfStmt)
		return ok && strings.HasPrefix(s.of(guard.Cond), "ec.Directives.") && s.replace(guard, "")
	})
}
