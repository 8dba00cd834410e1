package domain

import (
	"errors"
	"fmt"
	"strings"
	"time"
)

// Error is the one error type that a client may see. Everything else that
// goes wrong is rendered by the facades as internal_error, without its text.
type Error struct {
	// Code is what a program decides on.
	Code Code
	// Message is one sentence for a person. It never quotes secrets, bodies
	// or anything that another workspace owns.
	Message string
	// Doc names the page under /docs that explains the error; empty means
	// the page of the code itself.
	Doc string
	// RetryAfter tells how long to wait before the same request can succeed;
	// zero means that waiting alone does not help.
	RetryAfter time.Duration
	// cause is kept for logs and errors.Is; it is never shown.
	cause error
}

// Errorf makes an error of the given code. A %w argument becomes its cause,
// which its message then quotes: wrap only what a client may read.
func Errorf(code Code, format string, args ...any) *Error {
	err := fmt.Errorf(format, args...)
	return &Error{Code: code, Message: err.Error(), cause: errors.Unwrap(err)}
}

// Unavailable says that a dependency failed for now. The cause is for the log
// alone; the client learns what is unavailable and when to come back.
func Unavailable(what string, retryAfter time.Duration, cause error) *Error {
	return &Error{
		Code:       CodeServiceUnavailable,
		Message:    what + " is temporarily unavailable",
		RetryAfter: retryAfter,
		cause:      cause,
	}
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
