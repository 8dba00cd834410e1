package graph

import (
	"context"
	"net/http"

	"github.com/99designs/gqlgen/graphql"

	"astrolabe/domain"
	"astrolabe/domain/account"
	"astrolabe/graph/fault"
	"astrolabe/graph/limits"
)

// maxCharging is the number of subscription events that are charged
// concurrently. A block is an event for every subscriber, and these charges must
// not starve requests.
const maxCharging = 1024

// charging charges the caller for an operation, and for every event of a
// subscription. What a query did not use is returned after its execution.
type charging struct {
	h       *Handler
	pending chan struct{} // a semaphore
}

func newCharging(h *Handler) charging {
	return charging{h: h, pending: make(chan struct{}, maxCharging)}
}

// admit charges for an operation that is about to be executed. On a WebSocket
// it authenticates the caller again: credentials that were revoked or have
// expired are of no use on a socket that they opened.
func (c charging) admit(ctx context.Context, op *operation) (context.Context, error) {
	if op.socket != nil {
		renewed, err := c.h.reauthenticate(ctx)
		if err != nil {
			return ctx, err
		}
		ctx = renewed
	}
	caller := account.CallerOf(ctx)
	if op.needsSession() && caller.Kind != account.BySession {
		return ctx, c.or(ctx, op, fault.NeedsSession("Mutations"))
	}
	if err := permitted(caller, op); err != nil {
		return ctx, c.or(ctx, op, err)
	}
	if err := affordable(caller, op); err != nil {
		return ctx, c.or(ctx, op, err)
	}
	asked := graphql.GetOperationContext(ctx).Extensions["statements"] == true
	op.statements = asked && !op.dryRun && caller.Kind == account.ByKey
	op.charged = true
	return ctx, c.h.charge(ctx, op.header, op.charge())
}

// or charges for an operation that is refused; when that is denied, the denial
// is the error.
func (c charging) or(ctx context.Context, op *operation, err error) error {
	if denial := c.refused(ctx, op); denial != nil {
		return denial
	}
	return err
}

// refused charges 1 for an operation that is rejected before execution.
func (c charging) refused(ctx context.Context, op *operation) error {
	if op.charged {
		return nil
	}
	op.charged = true
	return c.h.charge(ctx, op.header, 1)
}

// event charges one event of a subscription, unless the caller has lost its
// credential or a permission since it subscribed.
func (c charging) event(ctx context.Context, op *operation) error {
	renewed, err := c.h.reauthenticateBy(ctx, c.h.Gate.Passive())
	if err != nil {
		return err
	}
	if err := permitted(account.CallerOf(renewed), op); err != nil {
		return err
	}
	select {
	case c.pending <- struct{}{}:
		defer func() { <-c.pending }()
	case <-ctx.Done():
		return ctx.Err()
	}
	return c.h.Gate.Charge(ctx, http.Header{}, account.Query, op.used())
}

// settle corrects the charge of a query by what it used.
func (c charging) settle(ctx context.Context, op *operation) {
	if op.meter != nil {
		c.h.Gate.Settle(ctx, op.header, account.Query, op.charge(), op.used())
	}
}

// charge charges a cost to the caller's rate limit. Its error is a fault.Denied.
func (h *Handler) charge(ctx context.Context, header http.Header, cost int) error {
	err := h.Gate.Charge(ctx, header, account.Query, cost)
	switch {
	case err == nil:
		return nil
	case domain.CodeOf(err) == domain.CodeForbidden: // the caller has no rate limit for GraphQL
		return &fault.Denied{Cause: err, Scope: account.Read}
	default:
		return &fault.Denied{Cause: err}
	}
}

// affordable rejects an operation that costs more than the caller's whole rate
// limit. Callers without a rate limit are rejected by charge.
func affordable(caller *account.Caller, op *operation) error {
	budget := caller.Budgets.Of(account.Query)
	if budget < 1 {
		return nil
	}
	return limits.CheckCost(budget, op.cost, "The operation costs %d points, more than the caller's whole rate limit of %d (class "+string(account.Query)+").")
}
