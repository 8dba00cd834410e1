package verify_test

import (
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"astrolabe/domain"
	"astrolabe/domain/verify"
	"astrolabe/repo/repotest"
)

// keepsUp does the upkeep of a process that was started just now.
func (i *intake) keepsUp(want map[verify.Upkeep]int) {
	i.Helper()
	done, err := i.restarted().KeepUp(i.Context())
	for _, act := range []verify.Upkeep{verify.ExpireUpload, verify.DeleteSource, verify.RepeatValidation, verify.AbandonBuild, verify.AbandonCompare} {
		if done[act] != want[act] {
			i.Errorf("%s: got %d jobs, want %d", act, done[act], want[act])
		}
	}
	if err != nil {
		i.Error(err)
	}
}

func TestJobWithoutASourceExpiresAfterThirtyMinutes(t *testing.T) {
	t.Parallel()
	i := newIntake(t, repotest.Followed)
	job := i.creates("a", "first")
	i.clock.passes(verify.UploadWindow - time.Millisecond)
	i.keepsUp(nil)
	i.is(job.ID, verify.AwaitingUpload)
	i.clock.passes(time.Millisecond)
	i.keepsUp(map[verify.Upkeep]int{verify.ExpireUpload: 1})
	if expired := i.is(job.ID, verify.AwaitingUpload, verify.Expired); !expired.FinishedAt.Equal(noon.Add(30*time.Minute)) || expired.Failure != nil {
		t.Errorf("got %v and the failure %v, want it ended after 30 minutes without one", expired.FinishedAt, expired.Failure)
	}
	i.keepsUp(nil)
}

func TestUpkeepOfManyJobsIsDoneInBatches(t *testing.T) {
	t.Parallel()
	i := newIntake(t, repotest.Followed)
	i.creates("a", "first")
	i.do(`INSERT INTO workspaces (id, name, plan, created_at) SELECT 'w' || n, 'w' || n, 'standard', now() FROM generate_series(1, 249) n`)
	i.do(`INSERT INTO verification_jobs (id, chain, workspace, idempotency_key, package, state, created_at, updated_at, upload_expires_at)
		SELECT 'w' || n, chain, 'w' || n, idempotency_key, package, 0, created_at, updated_at, upload_expires_at FROM verification_jobs, generate_series(1, 249) n`)
	i.clock.passes(verify.UploadWindow)
	i.keepsUp(map[verify.Upkeep]int{verify.ExpireUpload: 250})
}

func TestUpkeepOfABrokenJobDoesNotKeepOthersFromBeingDone(t *testing.T) {
	t.Parallel()
	i := newIntake(t, repotest.Followed)
	broken := i.creates("b", "first")
	i.clock.passes(time.Millisecond)
	sound := i.creates("a", "first")
	i.do(`CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'this row is broken'; END $$`)
	i.do(`CREATE TRIGGER refuse BEFORE UPDATE ON verification_jobs FOR EACH ROW WHEN (OLD.id = '` + broken.ID + `') EXECUTE FUNCTION refuse()`)
	i.clock.passes(verify.UploadWindow)
	done, err := i.restarted().KeepUp(t.Context())
	if done[verify.ExpireUpload] != 1 || err == nil || !strings.Contains(err.Error(), broken.ID) {
		t.Errorf("got %d expired jobs and %v, want 1 and an error that names %s", done[verify.ExpireUpload], err, broken.ID)
	}
	i.is(sound.ID, verify.AwaitingUpload, verify.Expired)
}

func TestSourceIsDeletedWhenItsRetentionEnds(t *testing.T) {
	t.Parallel()
	for policy, c := range map[string]struct {
		visibility string
		keep       time.Duration
	}{
		"private-24h-v1": {"private", 24 * time.Hour},
		"private-7d-v1":  {"private", 7 * 24 * time.Hour},
		"public-30d-v1":  {"public", 30 * 24 * time.Hour},
	} {
		t.Run(policy, func(t *testing.T) {
			t.Parallel()
			i := newIntake(t, repotest.Followed)
			job := i.creates("a", "first", with("sourceVisibility", c.visibility), with("retentionPolicyId", policy))
			i.clock.passes(10 * time.Minute)
			i.commits(job.ID)
			i.moves(job.ID, verify.Queued, verify.Building, verify.Comparing, verify.Mismatch)
			i.clock.passes(c.keep - time.Millisecond)
			i.keepsUp(nil)
			i.clock.passes(time.Millisecond)
			i.keepsUp(map[verify.Upkeep]int{verify.DeleteSource: 1})
			if n := i.count("verification_sources"); n != 0 {
				t.Errorf("got %d pieces after the retention, want none", n)
			}
			kept := i.is(job.ID, verify.AwaitingUpload, verify.Validating, verify.Queued, verify.Building, verify.Comparing, verify.Mismatch)
			if !kept.SourceDeletedAt.Equal(i.clock.now()) || kept.Package != job.Package || kept.Failure != nil {
				t.Errorf("got %+v, want the job as it was, with its source deleted now", kept)
			}
			i.keepsUp(nil)
			if again, committed, err := i.uploads(job.ID, archive); err != nil || committed || again.State != verify.Mismatch {
				t.Errorf("replay: got committed %t and %v, want the job", committed, err)
			}
			if n := i.count("verification_sources"); n != 0 {
				t.Errorf("got %d pieces after a replay, want none", n)
			}
		})
	}
}

func TestJobThatStillNeedsItsDeletedSourceFailsAndMayBeRetried(t *testing.T) {
	t.Parallel()
	i := newIntake(t, repotest.Followed)
	for n, state := range path[1:] {
		i.do("DELETE FROM verification_creates")
		job := i.creates("a", string(state))
		i.commits(job.ID)
		i.moves(job.ID, path[2:n+2]...)
		i.clock.passes(24 * time.Hour)
		i.seen()
		i.keepsUp(map[verify.Upkeep]int{verify.DeleteSource: 1})
		failed := i.is(job.ID, append(append([]verify.State{}, path[:n+2]...), verify.Failed)...)
		if failed.Failure == nil || failed.Failure.Code != verify.DispatchFailed || !failed.Failure.Code.Retryable() || failed.SourceDeletedAt == nil {
			t.Errorf("%s: got %+v, want %s, which is retryable", state, failed.Failure, verify.DispatchFailed)
		}
	}
}

func TestValidationOfAKilledProcessIsQueuedAgain(t *testing.T) {
	t.Parallel()
	i := newIntake(t, repotest.Followed)
	job := i.creates("a", "first")
	i.commits(job.ID)
	i.clock.passes(verify.ValidationPatience - time.Millisecond)
	i.keepsUp(nil)
	i.do("UPDATE river_job SET state = 'running', attempt = 1, attempted_at = now()") // forever: its process was killed
	i.clock.passes(time.Millisecond)
	i.keepsUp(map[verify.Upkeep]int{verify.RepeatValidation: 1})
	i.keepsUp(map[verify.Upkeep]int{verify.RepeatValidation: 1})
	if n := i.count("river_job WHERE state = 'available'"); n != 1 {
		t.Errorf("got %d more queued validations, want one in each period", n)
	}
	i.is(job.ID, verify.AwaitingUpload, verify.Validating)
}

func TestValidationThatNeverEndsFailsTheJob(t *testing.T) {
	t.Parallel()
	i := newIntake(t, repotest.Followed)
	job := i.creates("a", "first")
	i.commits(job.ID)
	i.clock.passes(verify.ValidationLimit)
	i.keepsUp(map[verify.Upkeep]int{verify.RepeatValidation: 1})
	i.keepsUp(nil)
	i.is(job.ID, verify.AwaitingUpload, verify.Validating, verify.Failed)
	failed, err := i.Of(t.Context(), domain.Mainnet, "a", job.ID)
	if err != nil || failed.Failure == nil || failed.Failure.Code != verify.DispatchFailed || !failed.Failure.Code.Retryable() {
		t.Errorf("got %+v and %v, want the retryable %s", failed, err, verify.DispatchFailed)
	}
}

// TestHistoryStaysInOrderWhenAClockIsBehind cancels a job by a process whose clock
// is behind that of the process that created it.
func TestHistoryStaysInOrderWhenAClockIsBehind(t *testing.T) {
	t.Parallel()
	i := newIntake(t, repotest.Followed)
	job := i.creates("a", "first")
	i.clock.passes(-time.Minute)
	cancelled, err := i.Cancel(t.Context(), domain.Mainnet, "a", job.ID)
	if err != nil {
		t.Fatal(err)
	}
	if first, last := cancelled.History[0].At, cancelled.History[1].At; last.Before(first) {
		t.Errorf("got a move at %s after one at %s, want the history in order", last, first)
	}
}

// deciding is a checker that returns an error after it has read some bytes.
type deciding struct {
	read int64
	err  error
}

// Check implements verify.Checker.
func (d deciding) Check(r io.Reader, _ verify.Package) error {
	_, err := io.CopyN(io.Discard, r, d.read)
	return errors.Join(d.err, err)
}

func TestValidationQueuesOrFailsAJob(t *testing.T) {
	t.Parallel()
	i := newIntake(t, repotest.Followed)
	counted := map[verify.State]int{}
	i.OnTransition(func(to verify.State) { counted[to]++ })
	good := i.creates("a", "good")
	i.commits(good.ID)
	for range 2 { // a job that is not validating stays as it is
		if err := i.Validate(t.Context(), good.ID, accepting{}); err != nil {
			t.Fatal(err)
		}
	}
	i.is(good.ID, verify.AwaitingUpload, verify.Validating, verify.Queued)
	i.moves(good.ID, verify.Cancelled)
	for _, code := range []verify.FailureCode{
		verify.ArchiveRejected, verify.SourceRejected, verify.LockfileMissing, verify.IncompleteOfflineMaterial, verify.UnsupportedToolchain,
	} {
		i.do("DELETE FROM verification_creates")
		bad := i.creates("a", string(code))
		i.commits(bad.ID)
		want := &verify.Failure{Code: code, Message: "Change the source."}
		if err := i.Validate(t.Context(), bad.ID, deciding{100, want}); err != nil {
			t.Fatal(err)
		}
		failed := i.is(bad.ID, verify.AwaitingUpload, verify.Validating, verify.Failed)
		if diff := cmp.Diff(want, failed.Failure); diff != "" || code.Retryable() || failed.FinishedAt == nil {
			t.Errorf("%s: want it not retryable; failure (-want +got):\n%s", code, diff)
		}
	}
	want := map[verify.State]int{verify.AwaitingUpload: 6, verify.Validating: 6, verify.Queued: 1, verify.Failed: 5}
	if diff := cmp.Diff(want, counted); diff != "" {
		t.Errorf("counted transitions (-want +got):\n%s", diff)
	}
}

func TestOutageIsNotTakenForAFaultOfTheSource(t *testing.T) {
	t.Parallel()
	i := newIntake(t, repotest.Followed)
	job := i.creates("a", "first")
	i.commits(job.ID)
	outage := errors.New("the disk is full")
	if err := i.Validate(t.Context(), job.ID, deciding{100, outage}); !errors.Is(err, outage) {
		t.Errorf("got %v, want %v, so that the work is repeated", err, outage)
	}
	rejects := &verify.Failure{Code: verify.ArchiveRejected, Message: "The archive ends too early."}
	i.do("UPDATE verification_sources SET bytes = '' WHERE part = 1") // damaged
	if err := i.Validate(t.Context(), job.ID, deciding{int64(len(archive)), rejects}); err == nil || strings.Contains(err.Error(), "too early") {
		t.Errorf("got %v, want the error of the damaged piece", err)
	}
	i.do("DELETE FROM verification_sources WHERE part = 1") // deleted meanwhile
	if err := i.Validate(t.Context(), job.ID, deciding{int64(len(archive)), rejects}); err != nil {
		t.Errorf("got %v, want nothing done: upkeep ends the job", err)
	}
	i.is(job.ID, verify.AwaitingUpload, verify.Validating)
}

func TestCancellationDoesNotWaitForTheCheck(t *testing.T) {
	t.Parallel()
	i := newIntake(t, repotest.Followed)
	job := i.creates("a", "first")
	i.commits(job.ID)
	during := checkerFunc(func(io.Reader, verify.Package) error {
		if cancelled, err := i.Cancel(t.Context(), domain.Mainnet, "a", job.ID); err != nil || cancelled.State != verify.Cancelled {
			t.Errorf("got %v and %v, want the job cancelled", cancelled, err)
		}
		return nil
	})
	if err := i.Validate(t.Context(), job.ID, during); err != nil {
		t.Error(err)
	}
	i.is(job.ID, verify.AwaitingUpload, verify.Validating, verify.Cancelled)
}

// checkerFunc is a function that checks.
type checkerFunc func(io.Reader, verify.Package) error

// Check implements verify.Checker.
func (f checkerFunc) Check(r io.Reader, p verify.Package) error { return f(r, p) }
