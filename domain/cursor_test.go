package domain

import (
	"context"
	"encoding/base64"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"
)

// testKeys is a ring of fixed keys; the last is current.
type testKeys [][]byte

func (k testKeys) CurrentKey() (uint32, []byte) { return uint32(len(k)), k[len(k)-1] }

func (k testKeys) KeyOf(_ context.Context, generation uint32) ([]byte, bool) {
	if generation == 0 || int(generation) > len(k) {
		return nil, false
	}
	return k[generation-1], true
}

var (
	testList  = Bind("/v1/SN_MAIN/token/0x1/transfers", "address=0x2")
	oneKey    = testKeys{[]byte("first")}
	somewhere = Position{1_000_000, 3, 0, 1<<64 - 1}
)

func TestCursorRoundTripsItsPosition(t *testing.T) {
	t.Parallel()
	cursors := NewCursors(oneKey)
	for _, pos := range []Position{{}, {0}, somewhere} {
		got, err := cursors.Decode(t.Context(), testList, cursors.Encode(testList, pos, time.Time{}))
		if err != nil || !slices.Equal(got, pos) {
			t.Errorf("got %v, %v, want %v", got, err, pos)
		}
	}
}

func TestCursorFromAnotherListIsRejected(t *testing.T) {
	t.Parallel()
	cursors := NewCursors(oneKey)
	cursor := cursors.Encode(testList, somewhere, time.Time{})
	for _, list := range []Binding{
		Bind("/v1/SN_MAIN/token/0x1/transfers", "address=0x3"),
		Bind("/v1/SN_SEPOLIA/token/0x1/transfers", "address=0x2"),
		Bind("/v1/SN_MAIN/token/0x1/transfersaddress=0x2"),
		Bind("/v1/SN_MAIN/token/0x1/transfers", "address=0x2", ""),
	} {
		_, err := cursors.Decode(t.Context(), list, cursor)
		requireInvalidCursor(t, err)
	}
}

func TestChangedCursorIsRejected(t *testing.T) {
	t.Parallel()
	cursors := NewCursors(oneKey)
	raw, err := base64.RawURLEncoding.DecodeString(cursors.Encode(testList, somewhere, time.Time{}))
	if err != nil {
		t.Fatal(err)
	}
	for i := range raw {
		for bit := range 8 {
			changed := slices.Clone(raw)
			changed[i] ^= 1 << bit
			_, err := cursors.Decode(t.Context(), testList, base64.RawURLEncoding.EncodeToString(changed))
			requireInvalidCursor(t, err)
		}
	}
	for _, text := range []string{"", "x", "AAAA", "=" + base64.RawURLEncoding.EncodeToString(raw)} {
		_, err := cursors.Decode(t.Context(), testList, text)
		requireInvalidCursor(t, err)
	}
}

func TestExpiredCursorIsRejected(t *testing.T) {
	t.Parallel()
	cursors := NewCursors(oneKey)
	expires := time.Unix(1_800_000_000, 0)
	cursor := cursors.Encode(testList, somewhere, expires)
	cursors.now = func() time.Time { return expires.Add(-time.Second) }
	if _, err := cursors.Decode(t.Context(), testList, cursor); err != nil {
		t.Errorf("before its end: got %v, want no error", err)
	}
	cursors.now = func() time.Time { return expires }
	_, err := cursors.Decode(t.Context(), testList, cursor)
	requireInvalidCursor(t, err)
}

func TestCursorSurvivesAKeyRotation(t *testing.T) {
	t.Parallel()
	old := NewCursors(oneKey).Encode(testList, somewhere, time.Time{})
	rotated := NewCursors(testKeys{oneKey[0], []byte("second")})
	if _, err := rotated.Decode(t.Context(), testList, old); err != nil {
		t.Errorf("a cursor of the key before: got %v, want no error", err)
	}
	_, err := NewCursors(oneKey).Decode(t.Context(), testList, rotated.Encode(testList, somewhere, time.Time{}))
	requireInvalidCursor(t, err)
}

// versionOne is a cursor of version 1: a change here breaks the cursors that
// clients store.
const versionOne = "AQEAAwcIAdLSneq2WQT1x0MY9x9dU8U"

func TestCursorSurvivesANewRelease(t *testing.T) {
	t.Parallel()
	cursors := NewCursors(oneKey)
	if got := cursors.Encode(testList, Position{7, 8, 1}, time.Time{}); got != versionOne {
		t.Errorf("version 1 is written as %s, want %s", got, versionOne)
	}
	if pos, err := cursors.Decode(t.Context(), testList, versionOne); err != nil || !slices.Equal(pos, Position{7, 8, 1}) {
		t.Errorf("version 1: got %v and %v, want [7 8 1]", pos, err)
	}
}

// TestCursorHasOneText changes the two bits of the last character that hold no
// data: the bytes stay the same.
func TestCursorHasOneText(t *testing.T) {
	t.Parallel()
	start, found := strings.CutSuffix(versionOne, "U")
	if !found {
		t.Fatalf("got the cursor %s, want one that ends with U", versionOne)
	}
	for _, last := range []string{"V", "W", "X"} {
		_, err := NewCursors(oneKey).Decode(t.Context(), testList, start+last)
		requireInvalidCursor(t, err)
	}
}

func requireInvalidCursor(t *testing.T, err error) {
	t.Helper()
	e, ok := errors.AsType[*Error](err)
	if !ok || e.Code != CodeInvalidRequest || e.DocSlug() != "errors/invalid-cursor" || !strings.HasPrefix(e.Message, "invalid_cursor") {
		t.Errorf("got %v, want invalid_request with the page errors/invalid-cursor", err)
	}
}

func FuzzDecodeCursor(f *testing.F) {
	cursors := NewCursors(oneKey)
	f.Add(cursors.Encode(testList, somewhere, time.Time{}))
	f.Add("AQEA")
	f.Fuzz(func(t *testing.T, text string) {
		pos, err := cursors.Decode(t.Context(), testList, text)
		if err == nil && len(pos) > 16 {
			t.Errorf("got %d fields, want at most 16", len(pos))
		}
	})
}

func TestNextPositionIsTheImmediateSuccessor(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ position, want Position }{
		{Position{7}, Position{8}},
		{Position{7, 0, 0}, Position{7, 0, 1}},
		{Position{7, 2, 32767}, Position{7, 3, 0}},
		{Position{7, 32767, 32767}, Position{8, 0, 0}},
		{Position{40_000, 32767}, Position{40_001, 0}},
		{Position{40_000}, Position{40_001}},
	} {
		if got := c.position.Following(); !slices.Equal(got, c.want) {
			t.Errorf("behind %v: got %v, want %v", c.position, got, c.want)
		}
	}
}
