package verify_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"astrolabe/domain"
	"astrolabe/domain/verify"
	"astrolabe/repo/model"
	"astrolabe/repo/repotest"
	store "astrolabe/repo/verify"
)

// added stores a job of the workspace a.
func added(t *testing.T, jobs store.Jobs) *verify.Job {
	t.Helper()
	now := domain.Milliseconds(time.Now())
	job, _, err := jobs.AddJob(t.Context(), &verify.Job{
		ID: "vrf_" + strings.Repeat("a", 26), Chain: domain.Mainnet, Workspace: "a", IdempotencyKey: "k", State: verify.AwaitingUpload,
		CreatedAt: now, UpdatedAt: now, UploadExpiresAt: now.Add(verify.UploadWindow),
	}, func(verify.Load) error { return nil })
	if err != nil {
		t.Fatal(err)
	}
	return job
}

func TestTheHistoryOfJobsOnlyGrows(t *testing.T) {
	t.Parallel()
	db, conn := repotest.Connect(t, repotest.Migrated)
	if _, err := conn.Exec(t.Context(), "INSERT INTO workspaces (id, name, plan, created_at) VALUES ('a', 'a', 'standard', now())"); err != nil {
		t.Fatal(err)
	}
	job := added(t, store.NewJobs(db))
	for _, statement := range []string{
		"UPDATE verification_history SET state = 5", "DELETE FROM verification_history", "TRUNCATE verification_history",
		"TRUNCATE verification_jobs CASCADE",
	} {
		if _, err := conn.Exec(t.Context(), statement); err == nil || !strings.Contains(err.Error(), "only grows") {
			t.Errorf("%s: got %v, want an error that the history only grows", statement, err)
		}
	}
	if _, err := conn.Exec(t.Context(), "DELETE FROM verification_jobs"); err == nil {
		t.Error("got a job deleted whose history stays, want an error")
	}
	if kept, err := store.NewJobs(db).Job(t.Context(), job.ID); err != nil || len(kept.History) != 1 {
		t.Errorf("got %v and %v, want the job with one state", kept, err)
	}
}

func TestStatesAreStoredInTheOrderOfTheSchema(t *testing.T) {
	t.Parallel()
	for at, state := range verify.States {
		stored, err := model.VerificationState(state).Value()
		if err != nil || stored != int64(at) || state.Terminal() != (at >= model.VerificationTerminal) {
			t.Errorf("%s: got %v and %v, want %d; states below %d are not terminal", state, stored, err, at, model.VerificationTerminal)
		}
	}
}

func TestDueJobsAreFoundByTheirIndexes(t *testing.T) {
	t.Parallel()
	db := repotest.Open(t)
	jobs := store.NewJobs(db)
	for act, index := range map[verify.Upkeep]string{
		verify.ExpireUpload: "verification_jobs_uploads", verify.DeleteSource: "verification_jobs_sources", verify.RepeatValidation: "verification_jobs_validating", verify.AbandonBuild: "verification_jobs_builds",
		verify.AbandonCompare: "verification_jobs_comparing",
	} {
		recorded := repotest.Recorded(t, db, func() {
			if _, err := jobs.DueJobs(t.Context(), act, time.Now(), 10); err != nil {
				t.Error(err)
			}
		})
		plan := repotest.Explain(t, db, recorded["verification.due"], "enable_seqscan = off")
		if !strings.Contains(plan, index) {
			t.Errorf("%s: got the plan\n%s\nwant one by %s", act, plan, index)
		}
	}
	if _, err := jobs.DueJobs(t.Context(), "rest", time.Now(), 1); err == nil {
		t.Error("got no error for an unknown act, want one")
	}
}

// TestJobsMoveAsTheTableOfMovesSays tries every move in the database, with the
// privileges of the owner, and then to add the row of each state without a move.
func TestJobsMoveAsTheTableOfMovesSays(t *testing.T) {
	t.Parallel()
	_, conn := repotest.Connect(t, repotest.Migrated)
	attempt := func(statements ...string) error {
		t.Helper()
		tx, err := conn.Begin(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = tx.Rollback(t.Context()) }()
		for _, statement := range statements {
			if _, err := tx.Exec(t.Context(), statement); err != nil {
				return err
			}
		}
		return nil
	}
	const add = `INSERT INTO workspaces (id, name, plan, created_at) VALUES ('a', 'a', 'standard', now());
		INSERT INTO verification_jobs (id, chain, workspace, idempotency_key, package, state, created_at, updated_at, upload_expires_at, finished_at)
		VALUES ('a', 1, 'a', 'k', '{}', %d, now(), now(), now(), CASE WHEN %[1]d >= 5 THEN now() END)`
	const direct, checked = "SET LOCAL session_replication_role = replica", "SET LOCAL session_replication_role = origin"
	for n, from := range verify.States {
		if err := attempt(fmt.Sprintf(add, n)); (err == nil) != (from == verify.AwaitingUpload) {
			t.Errorf("a job that begins with %s: got %v, want it only with %s", from, err, verify.AwaitingUpload)
		}
		stored := []string{direct, fmt.Sprintf(add, n), fmt.Sprintf("INSERT INTO verification_history VALUES ('a', 1, %d, now())", n), checked}
		for m, to := range verify.States {
			move := fmt.Sprintf("UPDATE verification_jobs SET state = %d, finished_at = CASE WHEN %[1]d >= 5 THEN now() END", m)
			if err := attempt(append(stored, move)...); (err == nil) != (from.May(to) || from == to) {
				t.Errorf("%s to %s: got %v, want it accepted: %t", from, to, err, from.May(to))
			}
			for _, at := range []string{"now()", "now() + interval '1 s'"} {
				if err := attempt(append(stored, fmt.Sprintf("INSERT INTO verification_history VALUES ('a', 2, %d, %s)", m, at))...); err == nil {
					t.Errorf("%s after %s without a move: got no error, want it refused", to, from)
				}
			}
		}
	}
}

// TestHistoryEndsWithTheStateOfTheJob adds the next row of a history, as a move does
// between the two reads of a job.
func TestHistoryEndsWithTheStateOfTheJob(t *testing.T) {
	t.Parallel()
	db, conn := repotest.Connect(t, repotest.Migrated)
	if _, err := conn.Exec(t.Context(), "INSERT INTO workspaces (id, name, plan, created_at) VALUES ('a', 'a', 'standard', now())"); err != nil {
		t.Fatal(err)
	}
	jobs := store.NewJobs(db)
	job := added(t, jobs)
	if _, err := conn.Exec(t.Context(), "SET session_replication_role = replica; INSERT INTO verification_history (job, seq, state, at) SELECT job, seq + 1, 1, at FROM verification_history"); err != nil {
		t.Fatal(err)
	}
	read, err := jobs.Job(t.Context(), job.ID)
	if err != nil || len(read.History) != 1 || read.History[0].State != verify.AwaitingUpload {
		t.Errorf("got %+v and %v, want the history up to %s", read, err, verify.AwaitingUpload)
	}
}
