package main

import (
	"fmt"
	"go/ast"
	"strconv"
	"strings"
)

// rewriteObjects makes of each function that assembles an object one that
// resolves a field of it.
func rewriteObjects(s *source) (changes int) {
	for _, f := range s.methods {
		implementors := s.implementors(f)
		if implementors == "" || len(f.Type.Params.List) != 3 { // the roots have no object
			continue
		}
		name, object := strings.TrimPrefix(f.Name.Name, "_"), f.Type.Params.List[2].Type
		var late []string // that may have to be read
		cases := &strings.Builder{}
		for _, c := range s.cases(f.Body) {
			field, err := strconv.Unquote(s.of(c.List[0]))
			if err != nil {
				panic(err) // the parser let it through
			}
			resolved := "graphql.MarshalString(" + strconv.Quote(name) + ")"
			if field != "__typename" {
				resolved = s.resolved(s.methods["_"+name+"_"+field], name)
			}
			if s.calls(c, "out.Concurrently") != nil {
				late = append(late, field)
			}
			fmt.Fprintf(cases, "\tcase %q:\n\t\treturn %s\n", field, resolved)
		}
		s.replace(f, fmt.Sprintf(`func (ec *executionContext) _%[1]s(ctx context.Context, sel ast.SelectionSet, obj %[2]s) graphql.Marshaler {
	return assemble(ctx, ec, sel, %[3]s, obj, (*executionContext).fieldOf_%[1]s, %[4]q)
}

func (ec *executionContext) fieldOf_%[1]s(ctx context.Context, field graphql.CollectedField, obj %[2]s) graphql.Marshaler {
	switch field.Name {
%[5]s	default:
		panic("unknown field " + strconv.Quote(field.Name))
	}
}`, name, s.of(object), implementors, strings.Join(late, " "), cases))
		changes++
	}
	return changes
}

// implementors is the variable with the types that an object's function
// assembles, or empty for another function.
func (s *source) implementors(f *ast.FuncDecl) string {
	if len(f.Body.List) == 0 {
		return ""
	}
	call := s.calls(f.Body.List[0], "graphql.CollectFields")
	if call == nil {
		return ""
	}
	return s.of(call.Args[2])
}

// cases are those of the only switch over the names of fields.
func (s *source) cases(body ast.Node) (cases []*ast.CaseClause) {
	ast.Inspect(body, func(n ast.Node) bool {
		if by, ok := n.(*ast.SwitchStmt); ok && s.is(by.Tag, "field.Name") {
			for _, c := range by.Body.List {
				if c := c.(*ast.CaseClause); c.List != nil {
					cases = append(cases, c)
				}
			}
		}
		return cases == nil
	})
	return cases
}

// calls finds a call of a function.
func (s *source) calls(within ast.Node, function string) (found *ast.CallExpr) {
	ast.Inspect(within, func(n ast.Node) bool {
		if call, ok := n.(*ast.CallExpr); ok && s.is(call.Fun, function) {
			found = call
		}
		return found == nil
	})
	return found
}
