package graph

import (
	"context"
	"errors"
	"sync"

	"github.com/99designs/gqlgen/graphql"
	"github.com/99designs/gqlgen/graphql/errcode"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"astrolabe/graph/fault"
)

// operation is the state that the extensions share about one operation. It is
// stored in gqlgen's operation context.
type operation struct {
	*exchange
	kind       ast.Operation
	cost       int
	tiered     []*ast.Field // the selected fields that need a permission
	session    bool         // a selected mutation needs a session
	dryRun     bool         // the client requests only the cost
	statements bool         // the client requests the number of SQL statements
	charged    bool
	executing  bool
	memory     *reservation

	introspection *introspectionKey // nil if the operation reads anything but the schema
	prepared      []byte            // the known result of an introspection

	meter *meter // of the result that is being built; nil for a mutation

	mu     sync.Mutex
	logged map[string]bool
}

// operationKey is the key of the operation in gqlgen's statistics.
const operationKey = "astrolabe"

// operationOf returns the operation of a context, nil outside of one.
func operationOf(ctx context.Context) *operation {
	if !graphql.HasOperationContext(ctx) {
		return nil
	}
	op, _ := graphql.GetOperationContext(ctx).Stats.GetExtension(operationKey).(*operation)
	return op
}

// streams reports whether the operation has a result for each event.
func (op *operation) streams() bool { return op.kind == ast.Subscription && !op.dryRun }

// needsSession reports whether only a session may execute the operation: it has a
// mutation without a tier, or no mutation at all.
func (op *operation) needsSession() bool {
	return op.kind == ast.Mutation && (op.session || len(op.tiered) == 0)
}

// charge returns the units that the operation is charged. An operation without
// fields and a dry run are charged 1.
func (op *operation) charge() int {
	if op.dryRun {
		return 1
	}
	return max(1, op.cost)
}

// used returns the units that the result used: the cost that the meter counted,
// and at least 1.
func (op *operation) used() int { return int(max(1, op.meter.cost.Load())) }

// refuse rejects the operation before execution, with an error for gqlgen.
func (op *operation) refuse(err error) *gqlerror.Error {
	_, isDenied := errors.AsType[*fault.Denied](err)
	if isDenied || misused(err) {
		op.refused(err)
	}
	refused, located := errors.AsType[*gqlerror.Error](err)
	if !located {
		refused = &gqlerror.Error{Err: err, Message: err.Error()}
	}
	errcode.Set(refused, errcode.ValidationFailed) // gqlgen then sends no result
	return refused
}

// firstTime reports whether the operation has not logged this failure yet,
// because a failed read fails every field that waits for it. Outside of an
// operation it returns true.
func (op *operation) firstTime(failure string) bool {
	if op == nil {
		return true
	}
	op.mu.Lock()
	defer op.mu.Unlock()
	if op.logged[failure] {
		return false
	}
	if op.logged == nil {
		op.logged = map[string]bool{}
	}
	op.logged[failure] = true
	return true
}
