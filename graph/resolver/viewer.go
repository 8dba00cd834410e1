package resolver

import (
	"context"
	"errors"
	"maps"
	"slices"
	"time"

	"astrolabe/access"
	"astrolabe/domain"
	"astrolabe/domain/account"
	"astrolabe/graph/fault"
)

// Viewer is the authenticated caller, with its permissions and rate limits.
type Viewer struct {
	Kind        account.Kind
	WorkspaceID *string
	Plan        account.Plan
	Scopes      []account.Permission
	Budgets     []Budget
}

// Budget is a rate limit of a caller.
type Budget struct {
	Class         string
	Limit         int
	WindowSeconds int
}

// classes lists all rate limit classes.
var classes = slices.Sorted(maps.Keys(account.Usual))

// Viewer returns the authenticated caller.
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

// Remaining returns the available units of a rate limit. All rate limits of a
// result are read at once.
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

// APIKeys returns the API keys of the workspace.
func (r *ViewerEdges) APIKeys(ctx context.Context, _ *Viewer) (*APIKeyList, error) {
	caller := account.CallerOf(ctx)
	if caller.Kind != account.BySession {
		return nil, fault.NeedsSession("API keys")
	}
	return scopeOf(ctx).keys.get(func() (*APIKeyList, error) { return r.resolver.listKeys(ctx, caller.Workspace) })
}

// Usage returns the usage of a signed-in person's workspace. An API key, which may
// be shared, does not see the usage of other keys.
func (r *ViewerEdges) Usage(ctx context.Context, _ *Viewer) (*Usage, error) {
	caller := account.CallerOf(ctx)
	if caller.Kind != account.BySession {
		return nil, fault.NeedsSession("Usage reports")
	}
	return scopeOf(ctx).usage.get(func() (*Usage, error) {
		report, err := r.resolver.Usage.Report(ctx, caller.Workspace)
		if err != nil {
			return nil, err
		}
		return usageOf(report), nil
	})
}

// APIKey is the metadata of an API key, without its secret.
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

// APIKeyList holds the API keys of a workspace.
type APIKeyList struct {
	Items     []*APIKey
	Truncated bool
}

func apiKey(k account.Key) *APIKey {
	return &APIKey{
		PublicID: k.PublicID, Label: k.Label, Environment: k.Environment, Scopes: k.Scopes(),
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

// IssueAPIKeyPayload is the result of issuing an API key. The secret is in this
// response only.
type IssueAPIKeyPayload struct {
	Action           *string
	PlaintextKey     *string
	APIKey           *APIKey
	RevokedPublicIDs []string
	UserErrors       []UserError
}

// RevokeAPIKeyPayload is the result of revoking an API key.
type RevokeAPIKeyPayload struct {
	APIKey     *APIKey
	UserErrors []UserError
}

// UserError is an error of a mutation that the caller can correct or wait for.
type UserError struct {
	Code              string
	Message           string
	Argument          *string
	RetryAfterSeconds *int
}

// IssueAPIKey issues or rotates the default key of a signed-in person's
// workspace. A key that is replaced stays valid for the overlap.
func (r *Mutation) IssueAPIKey(ctx context.Context, overlapSeconds int) (*IssueAPIKeyPayload, error) {
	caller := account.CallerOf(ctx)
	rotated, err := r.resolver.Gate.Keys.RotateDefaultWithOverlap(ctx, caller.Workspace, int64(overlapSeconds), account.ActorOf(caller))
	if err != nil {
		argument := ""
		if domain.CodeOf(err) == domain.CodeInvalidRequest {
			argument = "overlapSeconds"
		}
		reported, err := UserErrors(ctx, err, argument)
		return &IssueAPIKeyPayload{UserErrors: reported}, err
	}
	return &IssueAPIKeyPayload{
		Action: new(rotated.Action()), PlaintextKey: new(rotated.Text.Reveal()), APIKey: apiKey(rotated.Key),
		RevokedPublicIDs: append([]string{}, rotated.Revoked...),
	}, nil
}

// RevokeAPIKey revokes an API key of the workspace.
func (r *Mutation) RevokeAPIKey(ctx context.Context, publicID string) (*RevokeAPIKeyPayload, error) {
	caller := account.CallerOf(ctx)
	key, err := r.resolver.Gate.Keys.Revoke(ctx, caller.Workspace, publicID, account.ActorOf(caller))
	if err != nil {
		reported, err := UserErrors(ctx, err, "publicId")
		return &RevokeAPIKeyPayload{UserErrors: reported}, err
	}
	return &RevokeAPIKeyPayload{APIKey: apiKey(key)}, nil
}

// correctable are the codes of errors that a caller can correct or wait for.
var correctable = []domain.Code{
	domain.CodeInvalidRequest, domain.CodeNotFound, domain.CodeRateLimited, domain.CodeUnsupportedChain,
	domain.CodeIdempotencyKeyRequired, domain.CodeInvalidIdempotencyKey, domain.CodeIdempotencyKeyReused,
	domain.CodeInvalidVerificationPackage, domain.CodeUnsupportedPolicy, domain.CodeUnsupportedVerificationChain,
	domain.CodeDeclarationUnavailable, domain.CodeVerificationActiveJob, domain.CodeVerificationDailyQuota,
	domain.CodeVerificationQueueFull, domain.CodeVerificationUnavailable,
}

// UserErrors returns an error that the caller can correct or wait for as part of
// the payload. Usage reports count the request as failed. All other errors
// remain errors of the field.
func UserErrors(ctx context.Context, err error, argument string) ([]UserError, error) {
	e, ok := errors.AsType[*domain.Error](err)
	if !ok || !slices.Contains(correctable, e.Code) {
		return nil, err
	}
	access.RecordOf(ctx).Code = e.Code
	reported := UserError{Code: string(e.Code), Message: e.Message, Argument: textOrNil(argument)}
	if after := e.RetrySeconds(); after > 0 {
		reported.RetryAfterSeconds = &after
	}
	return []UserError{reported}, nil
}
