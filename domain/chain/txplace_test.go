package chain

import (
	"testing"

	"astrolabe/domain"
)

func TestATransactionsCursorNamesItsPlace(t *testing.T) {
	t.Parallel()
	for _, place := range []TxPlace{{}, {28, 7}, {1<<53 - 1, 1<<15 - 1}} {
		if got, err := ParseTxCursor(place.Cursor()); err != nil || got != place {
			t.Errorf("%s: got %v and %v, want %v", place.Cursor(), got, err, place)
		}
	}
	if got := (TxPlace{28, 7}).Cursor(); got != "28:7" {
		t.Errorf("got %s, want 28:7", got)
	}
	for _, text := range []string{"", ":", "28", "28:", ":7", "28:7:1", "28:-7", "+28:7", "028:7", "28:07", "28: 7", "28:32768", "9007199254740992:0", "0x1c:7"} {
		if got, err := ParseTxCursor(text); domain.CodeOf(err) != domain.CodeInvalidRequest {
			t.Errorf("%q: got %v and %v, want %s", text, got, err, domain.CodeInvalidRequest)
		}
	}
}

func FuzzTxCursor(f *testing.F) {
	for _, seed := range []string{"0:0", "28:7", "9007199254740991:32767", "28", "1:2:3"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		place, err := ParseTxCursor(text)
		if err == nil && place.Cursor() != text {
			t.Errorf("%q: got %v, which is %q, want the same text", text, place, place.Cursor())
		}
		if err != nil && domain.CodeOf(err) != domain.CodeInvalidRequest {
			t.Errorf("%q: got %v, want %s", text, err, domain.CodeInvalidRequest)
		}
	})
}
