package chain

import "testing"

func TestATransactionsCursorNamesItsPlace(t *testing.T) {
	t.Parallel()
	for place, want := range map[TxPlace]string{{}: "0:0", {28, 7}: "28:7", {1<<53 - 1, 1<<15 - 1}: "9007199254740991:32767"} {
		if got := place.Cursor(); got != want {
			t.Errorf("%+v: got %s, want %s", place, got, want)
		}
	}
}
