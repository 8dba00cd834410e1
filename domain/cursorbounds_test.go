package domain

import (
	"context"
	"encoding/base64"
	"encoding/binary"
	"strings"
	"testing"
	"time"
)

// everyGeneration accepts every generation with the same key.
type everyGeneration struct{}

func (everyGeneration) CurrentKey() (uint32, []byte) { return 1, oneKey[0] }

func (everyGeneration) KeyOf(context.Context, uint32) ([]byte, bool) { return oneKey[0], true }

// signed returns a cursor with a valid MAC and any body: version,
// generation, expiry, number of fields and the fields.
func signed(numbers ...uint64) string { return signedBytes(bodyOf(numbers...)) }

func bodyOf(numbers ...uint64) (body []byte) {
	for _, n := range numbers {
		body = binary.AppendUvarint(body, n)
	}
	return body
}

func signedBytes(body []byte) string {
	return base64.RawURLEncoding.EncodeToString(append(body, cursorMAC(oneKey[0], testList, body)...))
}

// fields returns that many zeros after their number.
func fields(count uint64, present int) []uint64 {
	return append([]uint64{1, 1, 0, count}, make([]uint64, present)...)
}

// TestSignedCursorStaysWithinItsLimits shows that the limits are checked
// separately and do not rely on the MAC.
func TestSignedCursorStaysWithinItsLimits(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		text string
		good bool
	}{
		"version 0":                    {signed(0, 1, 0, 1, 7), false},
		"version 1":                    {signed(1, 1, 0, 1, 7), true},
		"version 2":                    {signed(2, 1, 0, 1, 7), false},
		"the last generation":          {signed(1, 1<<32-1, 0, 1, 7), true},
		"a generation over 32 bits":    {signed(1, 1<<32, 0, 1, 7), false},
		"the last expiry":              {signed(1, 1, 1<<62, 1, 7), true},
		"an expiry behind the last":    {signed(1, 1, 1<<62+1, 1, 7), false},
		"no fields":                    {signed(fields(0, 0)...), true},
		"sixteen fields":               {signed(fields(16, 16)...), true},
		"seventeen fields":             {signed(fields(17, 17)...), false},
		"a field less than it says":    {signed(fields(2, 1)...), false},
		"a field more than it says":    {signed(fields(1, 2)...), false},
		"the largest field":            {signed(1, 1, 0, 1, 1<<64-1), true},
		"a field over 64 bits":         {signedBytes(append(bodyOf(1, 1, 0, 1), 255, 255, 255, 255, 255, 255, 255, 255, 255, 2)), false},
		"a field that does not end":    {signedBytes(append(bodyOf(1, 1, 0, 1), 255)), false},
		"a version alone":              {signed(1), false},
		"a version and its generation": {signed(1, 1), false},
		"no number of fields":          {signed(1, 1, 0), false},
		"a MAC of nothing":             {signed(), false},
	} {
		_, err := NewCursors(everyGeneration{}).Decode(t.Context(), testList, c.text)
		if good := err == nil; good != c.good {
			t.Errorf("%s: got error %v, want accepted %t", name, err, c.good)
		}
		if err != nil {
			requireInvalidCursor(t, err)
		}
	}
}

// TestCursorTextHasAtMost512Characters distinguishes the length check from the
// others by its message: the service issues no cursor of that length.
func TestCursorTextHasAtMost512Characters(t *testing.T) {
	t.Parallel()
	refusal := func(length int) string {
		_, err := NewCursors(oneKey).Decode(t.Context(), testList, strings.Repeat("A", length))
		requireInvalidCursor(t, err)
		return err.Error()
	}
	if at, short := refusal(512), refusal(100); at != short {
		t.Errorf("512 characters: got %q, want %q as for every cursor that is not ours", at, short)
	}
	if at, above := refusal(512), refusal(513); at == above {
		t.Errorf("513 characters: got %q as for 512, want that it is too long", above)
	}
}

func TestCursorThatExpiresAtTheUnixEpochIsExpired(t *testing.T) {
	t.Parallel()
	cursors := NewCursors(oneKey)
	cursors.now = func() time.Time { return time.Unix(1, 0) }
	for _, expires := range []time.Time{time.Unix(1, 0), time.Unix(0, 0), time.Unix(-1, 0)} {
		_, err := cursors.Decode(t.Context(), testList, cursors.Encode(testList, somewhere, expires))
		requireInvalidCursor(t, err)
	}
}

func TestPositionFitsItsColumns(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		position Position
		want     bool
	}{
		{Position{}, false},
		{Position{0}, true},
		{Position{1<<31 - 1}, true},
		{Position{1 << 31}, false},
		{Position{1, 1<<15 - 1}, true},
		{Position{1, 1 << 15}, false},
		{Position{1, 0, 1<<15 - 1}, true},
		{Position{1, 0, 1 << 15}, false},
		{Position{1, 0, 1 << 40}, false},
	} {
		if got := c.position.Fits(); got != c.want {
			t.Errorf("%v fits: got %t, want %t", c.position, got, c.want)
		}
	}
}
