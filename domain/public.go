package domain

import (
	"context"
	"errors"
	"log/slog"
	"math"
	"time"
)

// timeoutRetry is when to come back after a time budget ran out.
const timeoutRetry = 2 * time.Second

// Public turns any failure of a request into the error that its client sees.
// Only an Error is shown as it is. A context that ended means that the time
// budget ran out, whichever layer noticed it first; its error is the cause.
// Everything else is internal_error, without its text.
func Public(ctx context.Context, err error) *Error {
	if e, ok := errors.AsType[*Error](err); ok {
		return e
	}
	if ctx.Err() != nil || errors.Is(err, context.DeadlineExceeded) {
		return Unavailable("an answer within the time budget", timeoutRetry, err)
	}
	return &Error{Code: CodeInternal, Message: "the service failed unexpectedly; the request id finds the cause in its log"}
}

// RetrySeconds is RetryAfter rounded up to whole seconds. Zero means that waiting alone
// does not help.
func (e *Error) RetrySeconds() int { return int(math.Ceil(e.RetryAfter.Seconds())) }

// LogLevel is how loudly the service logs an error that it answers as its own
// failure. A client that has gone is nobody's fault; an expected state, which
// hides no cause, needs nobody's attention.
func (e *Error) LogLevel(ctx context.Context) slog.Level {
	switch {
	case errors.Is(ctx.Err(), context.Canceled):
		return slog.LevelDebug
	case e.Code != CodeInternal && e.cause == nil:
		return slog.LevelInfo
	}
	return slog.LevelError
}
