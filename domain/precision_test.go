package domain

import (
	"testing"
	"time"
)

func TestTimesAreUTCTruncatedToMilliseconds(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 7, 1, 14, 0, 0, 5_999_999, time.FixedZone("CEST", 7200))
	if got := Milliseconds(at).Format(time.RFC3339Nano); got != "2026-07-01T12:00:00.005Z" {
		t.Errorf("got %s, want 2026-07-01T12:00:00.005Z", got)
	}
	if got := MillisecondsOrNil(&at); got == nil || *got != Milliseconds(at) || at.Nanosecond() != 5_999_999 {
		t.Errorf("got %v, want %s; the time itself is now %s", got, Milliseconds(at), at)
	}
	if got := MillisecondsOrNil(nil); got != nil {
		t.Errorf("an unknown time: got %s, want nil", got)
	}
}
