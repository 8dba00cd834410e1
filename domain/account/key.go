package account

import (
	"fmt"
	"log/slog"
	"slices"
	"time"

	"astrolabe/domain"
)

// Key is a stored API key, without its secret.
type Key struct {
	PublicID  string
	Workspace string
	Plan      Plan // its workspace's
	// TraceCertified reports whether its workspace is a trace-certified partner.
	TraceCertified bool
	Environment    Environment
	Label          string
	// Permissions are those that were granted. Scopes are all that it has.
	Permissions []Permission
	Budgets     Budgets // where they differ from the usual ones
	// Default marks the one key of a workspace that self-serve rotates.
	Default bool
	Hash    Hash
	// Pepper is the generation of the pepper that Hash was made with.
	Pepper    uint32
	CreatedAt time.Time
	ExpiresAt *time.Time
	// RevokedAt is in the future while a key that was rotated away is still
	// valid.
	RevokedAt  *time.Time
	LastUsedAt *time.Time
}

// Status is the state of a key.
type Status string

// The states of a key. A revoked key stays revoked, also past its expiry.
const (
	Active  Status = "active"
	Expired Status = "expired"
	Revoked Status = "revoked"
)

// Status returns the key's state at a time.
func (k Key) Status(now time.Time) Status {
	switch {
	case k.RevokedAt != nil && !now.Before(*k.RevokedAt):
		return Revoked
	case k.ExpiresAt != nil && !now.Before(*k.ExpiresAt):
		return Expired
	}
	return Active
}

// Scopes are the permissions of the key as lists show them: those that were
// granted, and Verify, which every key has while it is active.
func (k Key) Scopes() []Permission { return inOrder(append([]Permission{Verify}, k.Permissions...)) }

// effective returns the permissions of the key and those that its workspace
// gives it.
func (k Key) effective() []Permission {
	if k.TraceCertified && slices.Contains(k.Permissions, Read) {
		return inOrder(append([]Permission{Trace}, k.Scopes()...))
	}
	return k.Scopes()
}

// until is when the key ends; the zero time means never.
func (k Key) until() time.Time {
	switch {
	case k.RevokedAt == nil && k.ExpiresAt == nil:
		return time.Time{}
	case k.RevokedAt == nil:
		return *k.ExpiresAt
	case k.ExpiresAt == nil:
		return *k.RevokedAt
	}
	return earliest(*k.ExpiresAt, *k.RevokedAt)
}

// Masked returns the key with its secret masked.
func (k Key) Masked() string {
	return KeyText{Environment: k.Environment, PublicID: k.PublicID}.Masked()
}

// Hash is the keyed hash of a secret. It prints as redacted.
type Hash []byte

// Format prints the word redacted for every verb.
func (Hash) Format(f fmt.State, _ rune) { _, _ = f.Write([]byte("[redacted]")) }

// LogValue keeps the hash out of structured logs.
func (Hash) LogValue() slog.Value { return slog.StringValue("[redacted]") }

// MarshalText keeps the hash out of every document.
func (Hash) MarshalText() ([]byte, error) { return []byte("[redacted]"), nil }

// SelfServe are the permissions that a workspace may give its own keys.
// Partner, Prove and Trace come from an operator.
var SelfServe = []Permission{Read, Batch, Write}

// IssueRequest describes a new key.
type IssueRequest struct {
	Label       string
	Environment Environment
	Permissions []Permission
	Budgets     Budgets
	ExpiresAt   *time.Time
}

// check returns invalid_request for an invalid request, and forbidden for what
// only an operator may grant.
func (r IssueRequest) check(now time.Time, by Actor) error {
	if r.Environment != Live && r.Environment != Test {
		return domain.Errorf(domain.CodeInvalidRequest, "environment must be live or test, got %s.", domain.Quote(string(r.Environment)))
	}
	if err := checkPrintable("A label", r.Label, maxLabel); err != nil {
		return err
	}
	if err := checkPermissions(r.Permissions); err != nil {
		return err
	}
	for class, budget := range r.Budgets {
		if !class.settable() || budget < 0 || budget > MaxBudget {
			return domain.Errorf(domain.CodeInvalidRequest, "A rate limit must be a class and a number from 0 to %d, got %s and %d.", MaxBudget, domain.Quote(string(class)), budget)
		}
	}
	if r.ExpiresAt != nil && !r.ExpiresAt.After(now) {
		return domain.Errorf(domain.CodeInvalidRequest, "The expiry time must be in the future.")
	}
	if by.operator() {
		return nil
	}
	beyond := slices.ContainsFunc(r.Permissions, func(p Permission) bool { return !slices.Contains(SelfServe, p) })
	if beyond || len(r.Budgets) > 0 {
		return domain.Errorf(domain.CodeForbidden, "Only an operator can set rate limits or grant permissions other than %v.", SelfServe)
	}
	return nil
}

func checkPermissions(list []Permission) error {
	if len(list) == 0 {
		return domain.Errorf(domain.CodeInvalidRequest, "permissions must not be empty.")
	}
	for _, p := range list {
		switch {
		case p == Verify:
			return domain.Errorf(domain.CodeInvalidRequest, "Every API key has the permission %s. Leave it out of permissions.", p)
		case !slices.Contains(Grantable, p):
			return domain.Errorf(domain.CodeInvalidRequest, "permissions must be one or more of %v, got %s.", Grantable, domain.Quote(string(p)))
		}
	}
	return nil
}

// inOrder returns permissions once each, in the order of the list.
func inOrder(list []Permission) []Permission {
	ordered := make([]Permission, 0, len(Permissions))
	for _, p := range Permissions {
		if slices.Contains(list, p) {
			ordered = append(ordered, p)
		}
	}
	return ordered
}
