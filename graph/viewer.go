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

// Viewer returns the caller.
func (r queryResolver) Viewer(ctx context.Context) (*Viewer, error) {
	caller := account.CallerOf(ctx)
	v := &Viewer{Kind: caller.Kind, Plan: caller.Plan, Scopes: caller.Permissions}
	if caller.Workspace != "" {
		v.WorkspaceID = &caller.Workspace
	}
	for _, class := range slices.Sorted(maps.Keys(account.Usual)) {
		v.Budgets = append(v.Budgets, Budget{
			Class: string(class), Limit: min(caller.Budgets.Of(class), account.MaxBudget), WindowSeconds: int(account.Window.Seconds()),
		})
	}
	return v, nil
}

// APIKeys lists the keys of a signed-in person's workspace.
func (r viewerResolver) APIKeys(ctx context.Context, _ *Viewer) (*APIKeyList, error) {
	caller := account.CallerOf(ctx)
	if caller.Kind != account.BySession {
		return nil, needsSession()
	}
	return r.h.listKeys(ctx, caller.Workspace)
}

// Usage reports what a signed-in person's workspace has used. A key, which may
// be in many hands, does not see its siblings.
func (r viewerResolver) Usage(ctx context.Context, _ *Viewer) (*Usage, error) {
	caller := account.CallerOf(ctx)
	if caller.Kind != account.BySession {
		return nil, needsSession()
	}
	report, err := r.h.Usage.Report(ctx, caller.Workspace)
	if err != nil {
		return nil, err
	}
	return usageOf(report), nil
}
