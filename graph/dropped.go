package graph

import (
	"time"

	"astrolabe/domain"
)

// dropped is why a stream ended before its time.
type dropped struct {
	cause  *domain.Error
	reason string
}

// Error returns the text of the domain's error.
func (d *dropped) Error() string { return d.cause.Error() }

// Unwrap makes the error one of the domain.
func (d *dropped) Unwrap() error { return d.cause }

func slowConsumer() *dropped {
	return &dropped{
		cause: &domain.Error{
			Code:       domain.CodeServiceUnavailable,
			Message:    "the subscription was ended because its events were not read in time; subscribe again",
			RetryAfter: time.Second,
		},
		reason: "slow_consumer",
	}
}

// unreadable ends a stream whose source failed again and again.
func unreadable(cause error) *dropped {
	return &dropped{domain.Unavailable(retryStream, cause, "The events of the subscription could not be read. Subscribe again."), "unreadable"}
}
