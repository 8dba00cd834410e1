package streams

import (
	"fmt"
	"time"

	"astrolabe/domain"
)

// The limits of a process that has no others.
const (
	// Limit is how many streams are open at once.
	Limit = 3072
	// Each is the share of one workspace or address.
	Each = 100
	// Messages is how many messages a client may send on one WebSocket per
	// second, pings included, and twice as many at once.
	Messages = 50
)

// Within returns how many streams a server of so many connections may have: the
// rest is left for requests.
func Within(connections int) int { return max(1, connections*3/4) }

// Exceeded is the error of one stream too many.
type Exceeded struct {
	cause *domain.Error
	// Caller says whether the caller has too many, or the server has.
	Caller      bool
	Max, Actual int
}

// Error implements error.
func (e *Exceeded) Error() string { return e.cause.Error() }

// Unwrap returns the cause.
func (e *Exceeded) Unwrap() error { return e.cause }

// Cause returns the domain error: rate_limited or service_unavailable.
func (e *Exceeded) Cause() *domain.Error { return e.cause }

// retryStream is when a client may come back for a stream.
const retryStream = 5 * time.Second

func exceeded(code domain.Code, most, actual int, format string, args ...any) *Exceeded {
	e := &domain.Error{Code: code, Message: fmt.Sprintf(format, args...), RetryAfter: retryStream}
	return &Exceeded{cause: e, Caller: code == domain.CodeRateLimited, Max: most, Actual: actual}
}
