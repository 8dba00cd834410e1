package graph

import (
	"strings"

	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"astrolabe/domain"
	"astrolabe/domain/account"
	"astrolabe/graph/fault"
)

// permitted rejects an operation that selects a field whose permission the
// caller lacks. It is called before execution, not for each field: a field of
// list items would fail once for each item.
func permitted(caller *account.Caller, op *operation) error {
	for _, field := range op.tiered {
		needed := permissionOf(field.Definition)
		if caller.May(needed) {
			continue
		}
		denied := lacks(needed, field.ObjectDefinition.Name+"."+field.Name)
		at := gqlerror.Location{Line: field.Position.Line, Column: field.Position.Column}
		return &gqlerror.Error{Err: denied, Message: denied.Error(), Locations: []gqlerror.Location{at}}
	}
	return nil
}

// permissionOf reads the @tier of a field.
func permissionOf(field *ast.FieldDefinition) account.Permission {
	return account.Permission(strings.ToLower(field.Directives.ForName("tier").Arguments.ForName("permission").Value.Raw))
}

func lacks(needed account.Permission, what string) error {
	return &fault.Denied{Cause: domain.Errorf(domain.CodeForbidden, "%s needs the permission %s.", what, needed), Scope: needed}
}
