package graph

import (
	"encoding/json"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"

	"astrolabe/domain"
)

// dryRun reads whether a request only asks what its operation costs.
func dryRun(extensions map[string]any) (bool, error) {
	given, ok := extensions["dryRun"]
	if !ok {
		return false, nil
	}
	asked, ok := given.(bool)
	if !ok {
		return false, domain.Errorf(domain.CodeInvalidRequest, "extensions.dryRun must be true or false")
	}
	return asked, nil
}

// nothing is the result of an operation that was not run.
func nothing() *graphql.Response { return &graphql.Response{Data: json.RawMessage("null")} }

// streams reports whether the operation has a result for every event.
func (op *operation) streams() bool { return op.Operation.Operation == ast.Subscription && !op.dryRun }
