package graph

import (
	"context"
	"fmt"
	"net/http"

	"github.com/vektah/gqlparser/v2/ast"

	"astrolabe/domain"
	"astrolabe/domain/account"
)

// maxCharging is how many events wait at once to be charged. One block is news
// for every subscriber, and all of them together must not crowd out requests.
const maxCharging = 1024

// order prepares an operation and charges its caller for it. The error is
// denied where the caller is the reason; an operation that is not carried out
// is charged 1, for it had to be looked at.
func (h *Handler) order(ctx context.Context, header http.Header, p params, carries func(ast.Operation) error) (*operation, error) {
	op, err := h.prepare(p, carries)
	caller := account.CallerOf(ctx)
	if err == nil && op.Operation.Operation == ast.Mutation && caller.Kind != account.BySession {
		err = needsSession()
	}
	if err == nil {
		err = affordable(caller, op)
	}
	cost := 1
	if err == nil {
		cost = op.charge()
		op.showStatements = caller.Kind == account.ByKey && p.Extensions["statements"] == true
	}
	if denial := h.take(ctx, header, cost); denial != nil {
		return op, denial
	}
	return op, err
}

// take charges a caller. The error is denied.
func (h *Handler) take(ctx context.Context, header http.Header, cost int) error {
	err := h.Gate.Charge(ctx, header, account.Query, cost)
	switch {
	case err == nil:
		return nil
	case domain.CodeOf(err) == domain.CodeForbidden: // no budget at all
		return &denied{err, account.Read}
	default:
		return &denied{cause: err}
	}
}

// charge is what the operation takes from a budget. One that selects nothing
// takes something, too, and so does one whose cost is asked for.
func (op *operation) charge() int {
	if op.dryRun {
		return 1
	}
	return max(1, op.cost)
}

// affordable refuses an operation that costs more than its caller can ever
// have. Who has nothing at all is told so by the charge.
func affordable(caller *account.Caller, op *operation) error {
	budget := caller.Budgets.Of(account.Query)
	if budget < 1 {
		return nil
	}
	return within(limitCost, budget, op.cost, fmt.Sprintf("values, the caller's whole budget of the class %s", account.Query))
}

// chargeEvent charges for one event of a subscription, which costs as much as
// its start.
func (h *Handler) chargeEvent(ctx context.Context, op *operation) error {
	if _, err := h.renew(ctx); err != nil {
		return err
	}
	select {
	case h.charging <- struct{}{}:
		defer func() { <-h.charging }()
	case <-ctx.Done():
		return ctx.Err()
	}
	return h.Gate.Charge(ctx, http.Header{}, account.Query, op.charge())
}
