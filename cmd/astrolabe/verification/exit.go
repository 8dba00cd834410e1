package verification

import (
	"errors"

	"astrolabe/domain/verify/archive"
	"astrolabe/domain/verify/receipt"
	"astrolabe/domain/verify/source"
)

// The exit codes, which the help of the commands documents.
const (
	exitUsage       = 2
	exitRejected    = 3 // the source breaks a rule, or the receipt is refused
	exitRefused     = 4 // the service refused a request
	exitMismatch    = 5
	exitFailed      = 6
	exitCancelled   = 7
	exitExpired     = 8
	exitInterrupted = 9 // the job goes on
)

// Error is an error with an exit code of its own.
type Error struct {
	Code int
	Err  error
}

// Error returns the text of the underlying error.
func (e *Error) Error() string { return e.Err.Error() }

// Unwrap returns the underlying error.
func (e *Error) Unwrap() error { return e.Err }

// usage marks an error that the user can correct, such as an invalid flag.
func usage(err error) error { return &Error{exitUsage, err} }

// rejection gives broken rules, which have the failure code that a job would
// have, and refused receipts, which have a reason, their exit code. Other errors
// stay as they are.
func rejection(err error) error {
	if broken, ok := errors.AsType[*archive.Error](err); ok {
		return &Error{exitRejected, broken}
	}
	if broken, ok := errors.AsType[*source.Error](err); ok {
		return &Error{exitRejected, broken}
	}
	if refused, ok := errors.AsType[*receipt.Error](err); ok {
		return &Error{exitRejected, refused}
	}
	return err
}
