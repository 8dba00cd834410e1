package repo

import (
	"context"
	"sync/atomic"
	"testing"

	"astrolabe/telemetry"
)

// TestReadsAreCountedAsTheyArrive cancels a statement after the first megabyte of
// a result that would be much larger.
func TestReadsAreCountedAsTheyArrive(t *testing.T) {
	t.Parallel()
	db, _ := openBare(t)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var received atomic.Int64
	counting := telemetry.WithReads(ctx, func(bytes int) {
		if received.Add(int64(bytes)) > 1<<20 {
			cancel()
		}
	})
	_, err := Select[string](counting, db.Read(), "/* test.long */ SELECT repeat('x', 1000) FROM generate_series(1, 1000000)")
	if err == nil {
		t.Error("got a gigabyte, want an error")
	}
	if n := received.Load(); n < 1<<20 || n > 512<<20 { // the rest of it comes until the cancellation is noticed
		t.Errorf("got %d bytes, want more than a megabyte, and not the gigabyte", n)
	}
	before := received.Load()
	if _, err := Select[string](t.Context(), db.Read(), "/* test.short */ SELECT repeat('x', 1000)"); err != nil {
		t.Fatal(err)
	}
	if n := received.Load(); n != before {
		t.Errorf("got %d bytes of another context counted, want none", n-before)
	}
}
