package limits

import (
	"fmt"
	"time"

	"astrolabe/domain"
)

// Exceeded is the error of a request over a limit. It names the limit and both
// numbers; clients read them in the error's extensions.
type Exceeded struct {
	cause  *domain.Error
	Name   string `json:"name"`
	Max    int    `json:"max"`
	Actual int    `json:"actual"`
}

// Error returns the text of the domain's error.
func (e *Exceeded) Error() string { return e.cause.Error() }

// Unwrap returns the domain's error.
func (e *Exceeded) Unwrap() error { return e.cause }

// Exceed makes the error of a limit with the message that clients read.
func Exceed(code domain.Code, name string, limit, actual int, message string) *Exceeded {
	return &Exceeded{cause: &domain.Error{Code: code, Message: message}, Name: name, Max: limit, Actual: actual}
}

// RetryAfter says when the request may succeed.
func (e *Exceeded) RetryAfter(after time.Duration) *Exceeded {
	e.cause.RetryAfter = after
	return e
}

// Check returns an invalid_request error when an operation has more than the
// limit of something. The format has the number.
func Check(name string, limit, actual int, format string) error {
	if actual <= limit {
		return nil
	}
	return Exceed(domain.CodeInvalidRequest, name, limit, actual,
		fmt.Sprintf(format+"; the limit is %d (%s).", actual, limit, name))
}

// CheckCost returns an invalid_request error when an operation costs more than the
// limit. The format has the cost and the limit.
func CheckCost(limit, cost int, format string) error {
	if cost <= limit {
		return nil
	}
	return Exceed(domain.CodeInvalidRequest, Cost, limit, cost, fmt.Sprintf(format, cost, limit)+" Request fewer items or fields.")
}
