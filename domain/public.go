package domain

import (
	"context"
	"errors"
	"log/slog"
	"math"
	"time"
)

// timeoutRetry is the Retry-After of a request that exceeded its time limit.
const timeoutRetry = 2 * time.Second

// Public returns the error that the client of a failed request sees. An Error
// is returned unchanged. A context that ended means that the request exceeded
// its time limit, whichever layer noticed it first. Everything else is
// internal_error, without its text.
func Public(ctx context.Context, err error) *Error {
	if e, ok := errors.AsType[*Error](err); ok {
		return e
	}
	if ctx.Err() != nil || errors.Is(err, context.DeadlineExceeded) {
		limit := ""
		if exceeded, ok := errors.AsType[timeLimit](context.Cause(ctx)); ok {
			limit = " of " + time.Duration(exceeded).String()
		}
		return Unavailable(timeoutRetry, err, "The request exceeded its time limit%s. Retry, or request less data at once.", limit)
	}
	return Errorf(CodeInternal, "The service failed unexpectedly. Report the request ID to the operator, who can find the cause in the log.")
}

// WithTimeLimit is context.WithTimeout for a request: when the limit is
// exceeded, the message of Public names it.
func WithTimeLimit(ctx context.Context, limit time.Duration) (context.Context, context.CancelFunc) {
	return context.WithTimeoutCause(ctx, limit, timeLimit(limit))
}

// timeLimit is the cause of a context that exceeded it.
type timeLimit time.Duration

// Error implements error.
func (t timeLimit) Error() string { return "time limit of " + time.Duration(t).String() + " exceeded" }

// RetrySeconds is RetryAfter rounded up to whole seconds. Zero means that
// waiting alone does not help.
func (e *Error) RetrySeconds() int { return int(math.Ceil(e.RetryAfter.Seconds())) }

// LogLevel is the level at which a facade logs a 5xx answer: debug when the
// client has disconnected, info for an expected state without a cause, error
// otherwise.
func (e *Error) LogLevel(ctx context.Context) slog.Level {
	switch {
	case errors.Is(ctx.Err(), context.Canceled):
		return slog.LevelDebug
	case e.Code != CodeInternal && e.cause == nil:
		return slog.LevelInfo
	}
	return slog.LevelError
}
