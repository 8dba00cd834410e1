package graph

import (
	"context"
	"net/http"

	"github.com/99designs/gqlgen/graphql"
	"github.com/99designs/gqlgen/graphql/errcode"
	"github.com/vektah/gqlparser/v2/gqlerror"
)

// refusingTransport is one of gqlgen's, with an executor that refuses
// operations in one way.
type refusingTransport struct{ graphql.Transport }

// Do serves a request.
func (t refusingTransport) Do(w http.ResponseWriter, r *http.Request, executor graphql.GraphExecutor) {
	t.Transport.Do(w, r, refusingExecutor{executor})
}

// refusingExecutor makes every error before execution a refusal. On a
// WebSocket gqlgen would send some of them as results, unpresented. Values that
// no type fits make the library panic that coerces variables.
type refusingExecutor struct{ graphql.GraphExecutor }

// CreateOperationContext prepares an operation or refuses it.
func (e refusingExecutor) CreateOperationContext(ctx context.Context, p *graphql.RawParams) (op *graphql.OperationContext, errs gqlerror.List) {
	defer func() {
		if recover() != nil {
			op, errs = new(graphql.OperationContext), gqlerror.List{{Message: "The variables do not have the types that the operation declares."}}
			op.Stats.SetExtension(operationKey, &operation{exchange: exchangeOf(ctx)})
		}
		for _, err := range errs {
			errcode.Set(err, errcode.ValidationFailed)
		}
	}()
	return e.GraphExecutor.CreateOperationContext(ctx, p)
}
