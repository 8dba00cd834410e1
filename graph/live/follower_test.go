package live

import (
	"errors"
	"testing"

	"astrolabe/domain"
)

// TestCursorOfAnIncompatibleReleaseIsRejected passes positions that have
// another number of fields than the stream, or a field that is too large.
func TestCursorOfAnIncompatibleReleaseIsRejected(t *testing.T) {
	t.Parallel()
	const want = "invalid_cursor: The cursor was issued by an incompatible release. Restart without a cursor."
	for name, after := range map[string]domain.Position{
		"a field too few":  {4, 10},
		"a field too many": {4, 10, 0, 0},
		"a block too high": {4, 1 << 63, 0},
	} {
		_, err := (&Tip{next: 11, fork: 4}).place(Subscription{Fields: 2, After: after})
		if refused, ok := errors.AsType[*domain.Error](err); !ok || refused.Message != want {
			t.Errorf("%s: got %v, want %s", name, err, want)
		}
	}
}
