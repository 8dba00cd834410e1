package fault

import (
	"time"

	"astrolabe/domain"
)

// Ended is why the server ended a stream. Reason is its machine-readable form
// in the error's extensions.
type Ended struct {
	Cause  *domain.Error
	Reason string
}

// Error returns the text of the domain's error.
func (e *Ended) Error() string { return e.Cause.Error() }

// Unwrap returns the domain's error.
func (e *Ended) Unwrap() error { return e.Cause }

// SlowConsumer ends the stream of a subscriber that does not read in time.
func SlowConsumer() *Ended {
	return &Ended{
		Cause: &domain.Error{
			Code:       domain.CodeServiceUnavailable,
			Message:    "The subscription ended because the client did not read its events in time. Subscribe again, from the last cursor if the messages have one.",
			RetryAfter: time.Second,
		},
		Reason: "slow_consumer",
	}
}

// Unreadable ends a stream whose source failed repeatedly.
func Unreadable(cause error, retry time.Duration) *Ended {
	return &Ended{Cause: domain.Unavailable(retry, cause, "The subscription ended because its data could not be read. Subscribe again, from the last cursor if the messages have one."), Reason: "unreadable"}
}
