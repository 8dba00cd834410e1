package fault

import (
	"astrolabe/domain"
	"astrolabe/domain/account"
)

// Denied refuses the caller, whatever the operation is. Scope is the
// permission that would help, empty where none would.
type Denied struct {
	Cause error
	Scope account.Permission
}

// Error returns the text of the cause.
func (d *Denied) Error() string { return d.Cause.Error() }

// Unwrap returns the cause.
func (d *Denied) Unwrap() error { return d.Cause }

// NeedsSession refuses a caller who is not signed in. The subject of its message
// is plural, such as "Mutations".
func NeedsSession(subject string) error {
	return &Denied{Cause: domain.Errorf(domain.CodeForbidden, "%s require a session. Send it as `Authorization: Bearer`.", subject)}
}
