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

// operation is what the extensions know about one operation. It is kept with
// gqlgen's operation context.
type operation struct {
	*exchange
	kind       ast.Operation
	cost       int
	dryRun     bool // the client asks for the cost alone
	statements bool // the client asks how many SQL statements ran
	charged    bool
	executing  bool
	aborted    bool // a root field of a mutation failed

	mu     sync.Mutex
	logged map[string]bool
}

// operationKey is where the operation is kept among gqlgen's statistics.
const operationKey = "astrolabe"

// operationOf returns the operation of a context, nil outside of one.
func operationOf(ctx context.Context) *operation {
	if !graphql.HasOperationContext(ctx) {
		return nil
	}
	op, _ := graphql.GetOperationContext(ctx).Stats.GetExtension(operationKey).(*operation)
	return op
}

// streams reports whether the operation has a result for every event.
func (op *operation) streams() bool { return op.kind == ast.Subscription && !op.dryRun }

// charge is what the operation takes from a rate limit. One that selects
// nothing takes 1, and so does one whose cost is asked for.
func (op *operation) charge() int {
	if op.dryRun {
		return 1
	}
	return max(1, op.cost)
}

// refuse returns why the operation is not executed, in gqlgen's form.
func (op *operation) refuse(err error) *gqlerror.Error {
	_, isDenied := errors.AsType[*fault.Denied](err)
	if isDenied || misused(err) {
		op.exchange.refused(err)
	}
	refused, located := errors.AsType[*gqlerror.Error](err)
	if !located {
		refused = &gqlerror.Error{Err: err, Message: err.Error()}
	}
	errcode.Set(refused, errcode.ValidationFailed) // a refusal, not a result
	return refused
}

// firstTime reports whether the operation has not logged the failure yet: a
// failed read fails every field that waited for it. Outside of an operation
// every failure is the first.
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
