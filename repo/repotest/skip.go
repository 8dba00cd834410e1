package repotest

import "testing"

// SkipRaced leaves a test out of the race detector: one that hashes for minutes
// with it, or measures memory, of which it takes many times as much. Its
// package is one of RACED_IN in the Makefile, so that make test runs it without.
func SkipRaced(t *testing.T) {
	t.Helper()
	if Raced {
		t.Skip("it runs without the race detector")
	}
}
