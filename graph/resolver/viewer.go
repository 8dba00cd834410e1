package resolver

import (
	"astrolabe/domain/account"
	"astrolabe/graph/fault"
	"context"
	"maps"
	"slices"
	"time"
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
func (r *Query) Viewer(ctx context.Context) (*Viewer, error) {
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
func (r *BudgetEdges) Remaining(ctx context.Context, b *Budget) (*int, error) {
	all, err := scopeOf(ctx).remaining.get(func() (map[string]int, error) {
		left, err := r.resolver.Gate.Quotas.Remaining(ctx, account.CallerOf(ctx), classes)
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
func (r *ViewerEdges) APIKeys(ctx context.Context, _ *Viewer) (*APIKeyList, error) {
	caller := account.CallerOf(ctx)
	if caller.Kind != account.BySession {
		return nil, fault.NeedsSession()
	}
	return scopeOf(ctx).keys.get(func() (*APIKeyList, error) { return r.resolver.listKeys(ctx, caller.Workspace) })
}

// Usage reports what a signed-in person's workspace has used. A key, which may
// be in many hands, does not see its siblings.
func (r *ViewerEdges) Usage(ctx context.Context, _ *Viewer) (*Usage, error) {
	caller := account.CallerOf(ctx)
	if caller.Kind != account.BySession {
		return nil, fault.NeedsSession()
	}
	return scopeOf(ctx).usage.get(func() (*Usage, error) {
		report, err := r.resolver.Usage.Report(ctx, caller.Workspace)
		if err != nil {
			return nil, err
		}
		return usageOf(report), nil
	})
}

// APIKey is a key as its owner sees it.
type APIKey struct {
	PublicID    string
	Label       string
	Environment account.Environment
	Scopes      []account.Permission
	Status      account.Status
	MaskedKey   string
	CreatedAt   time.Time
	LastUsedAt  *time.Time
	ExpiresAt   *time.Time
	RevokedAt   *time.Time
}

// APIKeyList is the keys of a workspace.
type APIKeyList struct {
	Items     []*APIKey
	Truncated bool
}

// IssuedAPIKey is a key that was just issued. It is written to the one answer
// that shows its secret and goes nowhere else.
type IssuedAPIKey struct {
	Action           string
	PlaintextKey     string
	APIKey           *APIKey
	RevokedPublicIDs []string
}

func apiKey(k account.Key) *APIKey {
	return &APIKey{
		PublicID: k.PublicID, Label: k.Label, Environment: k.Environment, Scopes: k.Permissions,
		Status: k.Status(time.Now()), MaskedKey: k.Masked(), CreatedAt: k.CreatedAt,
		LastUsedAt: k.LastUsedAt, ExpiresAt: k.ExpiresAt, RevokedAt: k.RevokedAt,
	}
}

func (r *Resolver) listKeys(ctx context.Context, workspace string) (*APIKeyList, error) {
	keys, truncated, err := r.Gate.Keys.List(ctx, workspace, account.ListedKeys)
	if err != nil {
		return nil, err
	}
	list := &APIKeyList{Items: make([]*APIKey, len(keys)), Truncated: truncated}
	for i, k := range keys {
		list.Items[i] = apiKey(k)
	}
	return list, nil
}

// IssueAPIKey issues or rotates the default key of a signed-in person's
// workspace.
func (r *Mutation) IssueAPIKey(ctx context.Context) (*IssuedAPIKey, error) {
	caller := account.CallerOf(ctx)
	rotated, err := r.resolver.Gate.Keys.RotateDefault(ctx, caller.Workspace, account.ActorOf(caller))
	if err != nil {
		return nil, err
	}
	return &IssuedAPIKey{
		Action: rotated.Action(), PlaintextKey: rotated.Text.Reveal(), APIKey: apiKey(rotated.Key),
		RevokedPublicIDs: rotated.Revoked,
	}, nil
}

// RevokeAPIKey revokes a key of a signed-in person's workspace.
func (r *Mutation) RevokeAPIKey(ctx context.Context, publicID string) (*APIKey, error) {
	caller := account.CallerOf(ctx)
	key, err := r.resolver.Gate.Keys.Revoke(ctx, caller.Workspace, publicID, account.ActorOf(caller))
	if err != nil {
		return nil, err
	}
	return apiKey(key), nil
}
