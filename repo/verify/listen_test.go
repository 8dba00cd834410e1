package verify_test

import (
	"context"
	"testing"
	"time"

	"astrolabe/domain/verify"
	"astrolabe/repo/repotest"
	store "astrolabe/repo/verify"
)

// TestListenersHearOfEveryStateAndOfLostConnections creates a job, moves it, and
// ends the connection of the listener.
func TestListenersHearOfEveryStateAndOfLostConnections(t *testing.T) {
	t.Parallel()
	db, conn := repotest.Connect(t, repotest.Migrated)
	execute := func(statement string) {
		t.Helper()
		if _, err := conn.Exec(t.Context(), statement); err != nil {
			t.Fatal(err)
		}
	}
	execute("INSERT INTO workspaces (id, name, plan, created_at) VALUES ('a', 'a', 'standard', now())")
	heard := make(chan string, 100)
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		store.ListenJobs(ctx, db, func(id string) { heard <- id })
	}()
	expect := func(what, want string) {
		t.Helper()
		select {
		case got := <-heard:
			if got != want {
				t.Errorf("%s: got %q, want %q", what, got, want)
			}
		case <-time.After(time.Minute):
			t.Fatalf("%s: got nothing within a minute, want %q", what, want)
		}
	}
	expect("begin", "")
	jobs := store.NewJobs(db)
	job := added(t, jobs)
	expect("new job", job.ID)
	if _, err := jobs.ChangeJob(t.Context(), job.ID, func(j *verify.Job) *verify.Change { return &verify.Change{At: j.UpdatedAt, To: verify.Cancelled} }); err != nil {
		t.Fatal(err)
	}
	expect("new state", job.ID)
	execute(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND query LIKE '/* listen.%'`)
	expect("new connection", "")
	stop()
	<-ended
	if len(heard) > 0 {
		t.Errorf("got %q besides, want nothing", <-heard)
	}
}
