package domain

import (
	"errors"
	"fmt"
	"strings"
	"time"
)

// Error is the only error type that clients see. The facades render every
// other error as internal_error, without its text.
type Error struct {
	// Code is machine-readable.
	Code Code
	// Message is written for people. It never quotes secrets, bodies or
	// anything that another workspace owns.
	Message string
	// Doc names the page under /docs that explains the error; empty means
	// the page of the code itself.
	Doc string
	// RetryAfter is how long to wait before the same request can succeed;
	// zero means that waiting alone does not help.
	RetryAfter time.Duration
	// cause is for logs and errors.Is; clients never see it.
	cause error
	// format and args are what Message was made of, for Named.
	format string
	args   []any
}

// Errorf makes an error of the given code. The message is one or two whole
// sentences. Inputs of the request are passed as an Argument, so that each
// facade can print the name that its clients know. A %w argument becomes the
// cause, which the message then quotes: wrap only what a client may read.
func Errorf(code Code, format string, args ...any) *Error {
	err := fmt.Errorf(format, args...)
	return &Error{Code: code, Message: err.Error(), cause: errors.Unwrap(err), format: format, args: args}
}

// Unavailable makes a service_unavailable error: the same request may succeed
// after retryAfter. The message says what failed and what to do; the cause goes
// to the log only and may be nil.
func Unavailable(retryAfter time.Duration, cause error, format string, args ...any) *Error {
	err := Errorf(CodeServiceUnavailable, format, args...)
	err.RetryAfter, err.cause = retryAfter, cause
	return err
}

// Error returns the code and the message, and the cause where there is one:
// this text is for logs.
func (e *Error) Error() string {
	text := string(e.Code) + ": " + e.Message
	if e.cause != nil && !strings.Contains(e.Message, e.cause.Error()) {
		text += ": " + e.cause.Error()
	}
	return text
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.cause }

// DocSlug returns the path under /docs of the page that explains the error.
func (e *Error) DocSlug() string {
	if e.Doc != "" {
		return e.Doc
	}
	return e.Code.DocSlug()
}

// CodeOf returns the code that a client would see for err: that of the
// outermost Error in its chain, else internal_error.
func CodeOf(err error) Code {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Code
	}
	return CodeInternal
}
