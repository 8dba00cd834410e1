package polltest

import (
	"testing"
	"time"
)

const (
	every    = 5 * time.Millisecond
	patience = time.Minute
)

// Until polls a condition, and fails the test if it does not hold within a minute.
func Until(tb testing.TB, what string, holds func() bool) {
	tb.Helper()
	if !poll(holds) {
		tb.Fatalf("timed out, want %s", what)
	}
}

// Equal polls a value, and fails the test if it does not become the wanted one
// within a minute.
func Equal[V comparable](tb testing.TB, what string, want V, read func() V) {
	tb.Helper()
	var got V
	if !poll(func() bool { got = read(); return got == want }) {
		tb.Fatalf("%s: got %v, want %v", what, got, want)
	}
}

func poll(holds func() bool) bool {
	ticker, late := time.NewTicker(every), time.After(patience)
	defer ticker.Stop()
	for !holds() {
		select {
		case <-ticker.C:
		case <-late:
			return false
		}
	}
	return true
}
