package main

import (
	"errors"
	"go/ast"
	"go/format"
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
		rewriteObjects, rewriteRoots, rewriteLists, dropChildren, keepPlans, reuseBuffers,
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
func rewriteRoots(s *source) (changes int) {
	ast.Inspect(s.file, func(n ast.Node) bool {
		if s.is(n, "graphql.CollectFields") {
			s.replace(n, "ec.plans.collect")
			changes++
		}
		return true
	})
	return changes
}

// rewriteLists has lists marshalled in order.
func rewriteLists(s *source) (changes int) {
	ast.Inspect(s.file, func(n ast.Node) bool {
		if s.is(n, "graphql.MarshalSliceConcurrently") {
			s.replace(n, "inOrder")
			changes++
		}
		return true
	})
	return changes
}

// dropChildren leaves out of the contexts of fields how to make those of the
// fields below, for which nobody asks.
func dropChildren(s *source) (changes int) {
	ast.Inspect(s.file, func(n ast.Node) bool {
		if pair, ok := n.(*ast.KeyValueExpr); ok && s.is(pair.Key, "Child") {
			s.replace(pair, "")
			s.skip(pair.End(), ",")
			changes++
		}
		return true
	})
	return changes
}

// keepPlans gives the execution of an operation its plans.
func keepPlans(s *source) (changes int) {
	ast.Inspect(s.file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.TypeSpec:
			if n.Name.Name == "executionContext" {
				s.insert(n.Type.(*ast.StructType).Fields.Closing, "\tplans *plans\n")
				changes++
			}
		case *ast.AssignStmt:
			if s.calls(n, "newExecutionContext") != nil {
				s.insert(n.End(), "\n\tec.plans = plansOf(ctx)")
				changes++
			}
		}
		return true
	})
	return changes
}

// reuseBuffers has the answers of queries and mutations written into buffers
// that were used before (graph/buffer.go); a subscription has one of its own.
func reuseBuffers(s *source) (changes int) {
	ast.Inspect(s.file, func(n ast.Node) bool {
		body, ok := n.(*ast.FuncLit)
		if !ok {
			return true
		}
		for _, statement := range body.Body.List {
			if s.of(statement) == "var buf bytes.Buffer" {
				s.replace(statement, "buf := newBuffer()")
				changes++
			}
		}
		return true
	})
	return changes
}
