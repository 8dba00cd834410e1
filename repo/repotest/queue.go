package repotest

import (
	"context"
	"testing"
	"time"

	"astrolabe/repo"
)

// AwaitJob runs a queue until one of its jobs sends a value, and returns that.
func AwaitJob[T any](t testing.TB, db *repo.DB, options repo.QueueOptions, done <-chan T) (value T) {
	t.Helper()
	queue, err := db.NewQueue(options)
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- queue.Run(ctx, time.Minute) }()
	select {
	case value = <-done:
	case <-time.After(time.Minute):
		t.Error("timed out, want a run of the job")
	}
	stop()
	if err := <-ended; err != nil {
		t.Errorf("queue: got %v, want no error", err)
	}
	return value
}
