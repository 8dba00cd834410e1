package account

import (
	"cmp"
	"context"
	"slices"
	"time"

	"astrolabe/domain"
)

// Kind is the kind of credential of a caller.
type Kind string

// The kinds of callers.
const (
	ByKey        Kind = "key"         // an API key
	BySession    Kind = "session"     // a signed-in user
	ByFirstParty Kind = "first_party" // one of our own pages, by page token
	ByInternal   Kind = "internal"    // another process of the service
	ByNetwork    Kind = "network"     // all clients without a key of an IPv6 network; only meters have it
)

// Caller is the authenticated sender of a request. It is immutable.
type Caller struct {
	Kind      Kind
	Workspace string // empty for first-party and internal callers
	Plan      Plan
	// Subject names the caller within its kind: a key's public id, a session's
	// id, a client's address. Budgets are counted by it, unless Meter is set.
	Subject string
	// Meter replaces Subject for rate limits if it is set: the default keys of
	// a workspace share one, so that rotating a key does not reset its rate
	// limit.
	Meter string
	// Until is the expiry of the credential; zero means no expiry.
	Until       time.Time
	Permissions []Permission
	// Budgets override the usual ones; a class that is absent has its usual
	// one.
	Budgets Budgets
}

// Plan is what a workspace may do beyond the permissions of its keys.
type Plan string

// The plans. Wallet workspaces may search events over wide ranges.
const (
	Standard Plan = "standard"
	Wallet   Plan = "wallet"
)

// WideSearchPlan is the plan whose event searches may exceed the ordinary block
// range.
const WideSearchPlan = Wallet

// AllowsWideSearch reports whether event searches may exceed the ordinary block
// range.
func (p Plan) AllowsWideSearch() bool { return p == WideSearchPlan }

// metered names the meter of a class.
func (c *Caller) metered(class Class) Metered {
	return Metered{c.Kind, cmp.Or(c.Meter, c.Subject), class}
}

// network is the IPv6 network that a client without a key shares a rate limit
// with, if any.
func (c *Caller) network() string {
	if c.Kind != ByFirstParty {
		return ""
	}
	return NetworkOf(c.Subject)
}

// rate is how much of a class the caller may use.
func (c *Caller) rate(class Class) Rate { return Rate{class, c.Budget(class)} }

// Budget is how much of a class the caller may use in a Window.
func (c *Caller) Budget(class Class) int { return min(c.Budgets.Of(class), MaxBudget) }

// May reports whether the caller has a permission.
func (c *Caller) May(p Permission) bool { return c != nil && slices.Contains(c.Permissions, p) }

// Require returns unauthorized without a caller, forbidden if the caller lacks
// the permission, else nil. The empty permission is always granted.
func (c *Caller) Require(p Permission) error {
	switch {
	case p == "":
		return nil
	case c == nil:
		return domain.Errorf(domain.CodeUnauthorized, missingKey)
	case !c.May(p):
		return domain.Errorf(domain.CodeForbidden, "This operation requires the permission %s, which the API key does not have.", p)
	}
	return nil
}

const missingKey = "An API key is required. Send it in the header X-Service-Api-Key."

type callerKey struct{}

// WithCaller returns a context with the caller.
func WithCaller(ctx context.Context, c *Caller) context.Context {
	return context.WithValue(ctx, callerKey{}, c)
}

// CallerOf returns the caller of a request, nil if it is not authenticated.
func CallerOf(ctx context.Context) *Caller {
	c, _ := ctx.Value(callerKey{}).(*Caller)
	return c
}
