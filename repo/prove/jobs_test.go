package prove_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"astrolabe/domain"
	"astrolabe/domain/prove"
	"astrolabe/repo"
	store "astrolabe/repo/prove"
	"astrolabe/repo/repotest"
)

// digest is a digest of a key and a request.
func digest(of string) prove.Digest {
	text := []byte(strings.Repeat(of, 32))
	return prove.Digest{Key: text, Request: text}
}

// opened returns the repository with the workspace a.
func opened(t *testing.T) (store.Jobs, *repo.DB) {
	t.Helper()
	db, conn := repotest.Connect(t, repotest.Migrated)
	if _, err := conn.Exec(t.Context(), "INSERT INTO workspaces (id, name, plan, created_at) VALUES ('a', 'a', 'standard', now())"); err != nil {
		t.Fatal(err)
	}
	return store.NewJobs(db), db
}

func job(id string) *prove.Job {
	now := domain.Milliseconds(time.Now())
	return &prove.Job{ID: id, Workspace: "a", Key: "k", Status: prove.Queued, Result: prove.NoResult, Holder: prove.Holder{ID: "h"}, CreatedAt: now, QueuedAt: now}
}

func add(*prove.Job, prove.Load) (prove.Admission, error) { return prove.Added, nil }

func TestStatementsAreServedByTheirIndexes(t *testing.T) {
	t.Parallel()
	jobs, db := opened(t)
	now := time.Now()
	recorded := repotest.Recorded(t, db, func() {
		one, _, err := jobs.Admit(t.Context(), job("one"), []prove.Digest{digest("1")}, add)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := jobs.Jobs(t.Context(), "a", domain.PageRequest{Limit: 5}); err != nil {
			t.Error(err)
		}
		if held, err := jobs.Beat(t.Context(), "h", []string{one.ID, "two"}); err != nil || len(held) != 1 {
			t.Errorf("got %v and %v, want one job", held, err)
		}
		if _, _, err := jobs.Sweep(t.Context(), time.Hour, []string{one.ID}, now); err != nil {
			t.Error(err)
		}
		if err := jobs.Forget(t.Context(), now); err != nil {
			t.Error(err)
		}
	})
	for statement, indexes := range map[string][]string{
		"prove.load":     {"prove_jobs_of_key", "prove_jobs_queue", "prove_budgets_pkey"},
		"prove.position": {"prove_jobs_queue"},
		"prove.list":     {"prove_jobs_of_workspace"},
		"prove.beat":     {"prove_jobs_pkey"},
		"prove.sweep":    {"prove_jobs_silent"},
		"prove.forget":   {"prove_jobs_digests"},
	} {
		if recorded[statement] == "" {
			t.Errorf("%s: got no such statement, want one", statement)
			continue
		}
		plan := repotest.Explain(t, db, recorded[statement], "enable_seqscan = off")
		for _, index := range indexes {
			if !strings.Contains(plan, index) {
				t.Errorf("%s: got the plan\n%s\nwant one by %s", statement, plan, index)
			}
		}
	}
}

// TestAHeartbeatIsOfTheHolderAlone lets a process write the heartbeat of a job that
// another one holds.
func TestAHeartbeatIsOfTheHolderAlone(t *testing.T) {
	t.Parallel()
	jobs, _ := opened(t)
	one, _, err := jobs.Admit(t.Context(), job("one"), []prove.Digest{digest("1")}, add)
	if err != nil {
		t.Fatal(err)
	}
	for holder, want := range map[string][]string{"h": {one.ID}, "other": {}} {
		held, err := jobs.Beat(t.Context(), holder, []string{one.ID})
		if diff := cmp.Diff(want, held); err != nil || diff != "" {
			t.Errorf("%s: got %v, want %v (%v)", holder, held, want, err)
		}
	}
}

// TestWorkspacesWaitForEachOtherAtTheQueue admits a job of another workspace while
// the first one decides: the second must see the place that the first has taken.
func TestWorkspacesWaitForEachOtherAtTheQueue(t *testing.T) {
	t.Parallel()
	db, conn := repotest.Connect(t, repotest.Migrated)
	if _, err := conn.Exec(t.Context(), "INSERT INTO workspaces (id, name, plan, created_at) VALUES ('a', 'a', 'standard', now()), ('b', 'b', 'standard', now())"); err != nil {
		t.Fatal(err)
	}
	jobs := store.NewJobs(db)
	second := job("two")
	second.Workspace, second.Key = "b", "kb"
	seen, ended := make(chan int, 1), make(chan error, 1)
	_, _, err := jobs.Admit(t.Context(), job("one"), []prove.Digest{digest("1")}, func(*prove.Job, prove.Load) (prove.Admission, error) {
		go func() {
			_, _, err := jobs.Admit(t.Context(), second, []prove.Digest{digest("2")}, func(_ *prove.Job, load prove.Load) (prove.Admission, error) {
				seen <- load.Queue
				return prove.Added, nil
			})
			ended <- err
		}()
		for waits := false; !waits && len(seen) == 0; {
			if err := conn.QueryRow(t.Context(), `SELECT EXISTS (SELECT FROM pg_locks WHERE locktype = 'advisory' AND NOT granted
				AND database = (SELECT oid FROM pg_database WHERE datname = current_database()))`).Scan(&waits); err != nil {
				return prove.Replayed, err
			}
		}
		return prove.Added, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
	if queue := <-seen; queue != 1 {
		t.Errorf("got a queue of %d jobs, want the one that was admitted before", queue)
	}
}

func TestAnIllegalMoveIsRefused(t *testing.T) {
	t.Parallel()
	jobs, _ := opened(t)
	one, _, err := jobs.Admit(t.Context(), job("one"), []prove.Digest{digest("1")}, add)
	if err != nil {
		t.Fatal(err)
	}
	for _, to := range []prove.Status{prove.Queued, prove.Succeeded, prove.Failed, prove.UnknownDelivery} {
		if _, err := jobs.ChangeJob(t.Context(), one.ID, func(*prove.Job) *prove.Change { return &prove.Change{At: time.Now(), To: to} }); err == nil {
			t.Errorf("got a queued job moved to %s, want an error", to)
		}
	}
	if got, err := jobs.ChangeJob(t.Context(), "two", func(*prove.Job) *prove.Change { return nil }); got != nil || err != nil {
		t.Errorf("got %v and %v, want nothing for a job that does not exist", got, err)
	}
}

func TestAWorkspaceThatDoesNotExistIsNotFound(t *testing.T) {
	t.Parallel()
	jobs, _ := opened(t)
	foreign := job("one")
	foreign.Workspace = "b"
	if _, _, err := jobs.Admit(t.Context(), foreign, []prove.Digest{digest("1")}, add); domain.CodeOf(err) != domain.CodeNotFound {
		t.Errorf("got %v, want %s", err, domain.CodeNotFound)
	}
}
