package graph

import (
	"context"
	"maps"
	"slices"

	"astrolabe/domain/account"
)

// Viewer is who asks.
type Viewer struct {
	Kind        account.Kind
	WorkspaceID *string
	Plan        account.Plan
	Scopes      []account.Permission
	Budgets     []Budget
}

// Budget is how much of a class a caller may use.
type Budget struct {
	Class         string
	Limit         int
	WindowSeconds int
}

// classes are all that have a budget.
var classes = slices.Sorted(maps.Keys(account.Usual))

// Viewer returns the caller.
func (r queryResolver) Viewer(ctx context.Context) (*Viewer, error) {
	caller := account.CallerOf(ctx)
	v := &Viewer{Kind: caller.Kind, Plan: caller.Plan, Scopes: caller.Permissions}
	if caller.Workspace != "" {
		v.WorkspaceID = &caller.Workspace
	}
	for _, class := range classes {
		v.Budgets = append(v.Budgets, Budget{
			Class: string(class), Limit: caller.Budget(class), WindowSeconds: int(account.Window.Seconds()),
		})
	}
	return v, nil
}

// Remaining tells how much of a budget is left. All budgets of a result are
// read at once.
func (r budgetResolver) Remaining(ctx context.Context, b *Budget) (*int, error) {
	all, err := scopeOf(ctx).remaining.get(func() (map[string]int, error) {
		left, err := r.h.Gate.Quotas.Remaining(ctx, account.CallerOf(ctx), classes)
		byClass := make(map[string]int, len(left))
		for i, n := range left {
			byClass[string(classes[i])] = n
		}
		return byClass, err
	})
	if err != nil {
		return nil, err
	}
	return new(all[b.Class]), nil
}

// APIKeys lists the keys of a signed-in person's workspace.
func (r viewerResolver) APIKeys(ctx context.Context, _ *Viewer) (*APIKeyList, error) {
	caller := account.CallerOf(ctx)
	if caller.Kind != account.BySession {
		return nil, needsSession()
	}
	return scopeOf(ctx).keys.get(func() (*APIKeyList, error) { return r.h.listKeys(ctx, caller.Workspace) })
}

// Usage reports what a signed-in person's workspace has used. A key, which may
// be in many hands, does not see its siblings.
func (r viewerResolver) Usage(ctx context.Context, _ *Viewer) (*Usage, error) {
	caller := account.CallerOf(ctx)
	if caller.Kind != account.BySession {
		return nil, needsSession()
	}
	return scopeOf(ctx).usage.get(func() (*Usage, error) {
		report, err := r.h.Usage.Report(ctx, caller.Workspace)
		if err != nil {
			return nil, err
		}
		return usageOf(report), nil
	})
}
