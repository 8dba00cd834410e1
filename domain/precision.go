package domain

import "time"

// Milliseconds returns a time for answers: in UTC, rounded down to whole
// milliseconds. It is for times that this service took itself; block times are
// whole seconds.
func Milliseconds(at time.Time) time.Time { return at.UTC().Truncate(time.Millisecond) }

// MillisecondsOrNil is Milliseconds of a time that may be unknown.
func MillisecondsOrNil(at *time.Time) *time.Time {
	if at == nil {
		return nil
	}
	return new(Milliseconds(*at))
}
