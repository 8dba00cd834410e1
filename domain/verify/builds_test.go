package verify_test

import (
	"context"
	"errors"
	"io"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"astrolabe/domain"
	"astrolabe/domain/verify"
	"astrolabe/repo"
	"astrolabe/repo/repotest"
	store "astrolabe/repo/verify"
)

// pinned is the toolchain of these tests.
var pinned = verify.Toolchain{Name: "cairo-wasm", Version: "2.8.2", Digest: "sha256:00"}

// builds returns the service with the privileges of a builder.
func (i *intake) builds() *verify.Builds {
	i.Helper()
	return verify.NewBuilds(store.NewBuilds(repotest.As(i.T, i.conn, repo.BuilderRole)), i.clock.now)
}

// queues creates a job in workspace a that is ready to be built.
func (i *intake) queues(idempotencyKey string) *verify.Job {
	i.Helper()
	i.do("DELETE FROM verification_creates")
	i.seen()
	job := i.creates("a", idempotencyKey)
	i.commits(job.ID)
	i.moves(job.ID, verify.Queued)
	return job
}

// claims expects a builder to get a job at an attempt.
func (i *intake) claims(builds *verify.Builds, builder, id string, attempt int) *verify.Job {
	i.Helper()
	job, err := builds.Claim(i.Context(), builder)
	if err != nil || job == nil || job.ID != id || job.State != verify.Building || job.Lease == nil || job.Lease.Builder != builder || job.Lease.Attempt != attempt {
		i.Fatalf("claim by %s: got %+v and %v, want attempt %d of %s", builder, job, err, attempt, id)
	}
	return job
}

// claimsNothing expects that no job can be built.
func (i *intake) claimsNothing(builds *verify.Builds, builder string) {
	i.Helper()
	if job, err := builds.Claim(i.Context(), builder); err != nil || job != nil {
		i.Fatalf("claim by %s: got %+v and %v, want no job", builder, job, err)
	}
}

// lost expects every act of a builder that has lost its lease to be refused.
func (i *intake) lost(builds *verify.Builds, claimed *verify.Job) {
	i.Helper()
	for act, err := range map[string]error{
		"renew":   builds.Renew(i.Context(), claimed),
		"deliver": builds.Deliver(i.Context(), claimed, pinned, &verify.Output{Class: []byte("{}")}),
		"fail":    builds.Fail(i.Context(), claimed, pinned, nil, &verify.Failure{Code: verify.BuildFailed, Message: "no"}),
		"release": builds.Release(i.Context(), claimed, true),
	} {
		if !errors.Is(err, verify.ErrLeaseLost) {
			i.Errorf("%s: got %v, want %v", act, err, verify.ErrLeaseLost)
		}
	}
}

func (i *intake) candidates() int { i.Helper(); return i.count("verification_candidates") }

var built = []verify.State{verify.AwaitingUpload, verify.Validating, verify.Queued, verify.Building}

// then returns the states of a job that was built, and the states after that.
func then(states ...verify.State) []verify.State {
	return append(append([]verify.State{}, built...), states...)
}

func TestOldestQueuedJobIsClaimedDeliveredAndCompared(t *testing.T) {
	t.Parallel()
	i := newIntake(t, repotest.Followed)
	builds := i.builds()
	i.claimsNothing(builds, "one")
	job := i.queues("first")
	counted := map[verify.State]int{}
	builds.OnTransition(func(to verify.State) { counted[to]++ })
	claimed := i.claims(builds, "one", job.ID, 1)
	if diff := cmp.Diff(job.Package, claimed.Package); diff != "" || claimed.Workspace != "" {
		t.Errorf("workspace %q, want none; package (-want +got):\n%s", claimed.Workspace, diff)
	}
	i.claimsNothing(builds, "two")
	output, err := builds.Compile(t.Context(), claimed, compilerFunc(func(_ context.Context, source io.Reader) (*verify.Output, error) {
		content, err := io.ReadAll(source)
		if string(content) != string(archive) {
			t.Errorf("got %d bytes and %v, want the uploaded source", len(content), err)
		}
		return &verify.Output{Class: []byte(`{"abi":""}`), LogTail: "a\x00b\xffc\n", Duration: time.Second}, nil
	}))
	if err != nil {
		t.Fatal(err)
	}
	i.clock.passes(time.Second)
	if err := builds.Deliver(t.Context(), claimed, pinned, output); err != nil {
		t.Fatal(err)
	}
	compared := i.is(job.ID, then(verify.Comparing)...)
	want := &verify.Build{Toolchain: pinned, Profile: "release", Duration: time.Second, LogTail: "abc\n"}
	if diff := cmp.Diff(want, compared.Build); diff != "" {
		t.Errorf("build (-want +got):\n%s", diff)
	}
	var class []byte
	if err := i.conn.QueryRow(t.Context(), "SELECT class FROM verification_candidates WHERE job = $1", job.ID).Scan(&class); err != nil || string(class) != `{"abi":""}` {
		t.Errorf("got the candidate %s and %v, want the class as it was built", class, err)
	}
	if diff := cmp.Diff(map[verify.State]int{verify.Building: 1, verify.Comparing: 1}, counted); diff != "" {
		t.Errorf("counted transitions (-want +got):\n%s", diff)
	}
	i.lost(builds, claimed)
	i.claimsNothing(builds, "one")
}

// compilerFunc is a function that compiles.
type compilerFunc func(ctx context.Context, source io.Reader) (*verify.Output, error)

// Toolchain implements verify.Compiler.
func (compilerFunc) Toolchain() verify.Toolchain { return pinned }

// Compile implements verify.Compiler.
func (f compilerFunc) Compile(ctx context.Context, source io.Reader, _ verify.Package) (*verify.Output, error) {
	return f(ctx, source)
}

func TestBuildersThatClaimAtOnceGetOneWinner(t *testing.T) {
	t.Parallel()
	i := newIntake(t, repotest.Followed)
	job := i.queues("first")
	for round := range 20 {
		var group sync.WaitGroup
		won := make(chan *verify.Job, 8)
		for range 4 {
			builds := i.builds()
			for _, builder := range []string{"one", "two"} {
				group.Go(func() {
					if claimed, err := builds.Claim(t.Context(), builder); err != nil {
						t.Error(err)
					} else if claimed != nil {
						won <- claimed
					}
				})
			}
			if round > 0 {
				break // two builders at one connection pool suffice after the first round
			}
		}
		group.Wait()
		if len(won) != 1 {
			t.Fatalf("round %d: got %d winners, want one", round, len(won))
		}
		i.do("UPDATE verification_builds SET seen_at = $1, attempt = 1", i.clock.now().Add(-verify.LeaseTime)) // both may take it over
	}
	i.is(job.ID, built...)
}

func TestLeaseThatIsNotRenewedIsTakenOver(t *testing.T) {
	t.Parallel()
	i := newIntake(t, repotest.Followed)
	builds := i.builds()
	job := i.queues("first")
	first := i.claims(builds, "one", job.ID, 1)
	i.clock.passes(verify.LeaseTime - time.Millisecond)
	i.claimsNothing(builds, "two")
	if err := builds.Renew(t.Context(), first); err != nil {
		t.Fatal(err)
	}
	i.clock.passes(verify.LeaseTime - time.Millisecond)
	i.claimsNothing(builds, "two")
	i.clock.passes(time.Millisecond)
	second := i.claims(builds, "two", job.ID, 2)
	i.lost(builds, first) // it was paused
	i.is(job.ID, built...)
	if n := i.candidates(); n != 0 {
		t.Errorf("got %d candidates of a builder without a lease, want none", n)
	}
	if err := builds.Deliver(t.Context(), second, pinned, &verify.Output{Class: []byte("{}")}); err != nil {
		t.Error(err)
	}
	i.is(job.ID, then(verify.Comparing)...)
}

func TestJobFailsAfterThreeAttempts(t *testing.T) {
	t.Parallel()
	i := newIntake(t, repotest.Followed)
	builds := i.builds()
	job := i.queues("first")
	for attempt := 1; attempt <= verify.MaxAttempts; attempt++ {
		i.claims(builds, "one", job.ID, attempt)
		i.clock.passes(verify.LeaseTime)
	}
	i.claimsNothing(builds, "two")
	failed := i.is(job.ID, then(verify.Failed)...)
	if failed.Failure == nil || failed.Failure.Code != verify.DispatchFailed || failed.FinishedAt == nil {
		t.Errorf("got %+v, want %s", failed.Failure, verify.DispatchFailed)
	}
}

// TestReleasedJobIsClaimedAtOnce releases a job as a builder does that shuts down,
// more often than there are attempts, and as one whose build gave no result.
func TestReleasedJobIsClaimedAtOnce(t *testing.T) {
	t.Parallel()
	i := newIntake(t, repotest.Followed)
	builds := i.builds()
	job := i.queues("first")
	for range verify.MaxAttempts + 1 {
		claimed := i.claims(builds, "one", job.ID, 1)
		if err := builds.Release(t.Context(), claimed, false); err != nil {
			t.Fatal(err)
		}
		i.lost(builds, claimed)
	}
	if err := builds.Release(t.Context(), i.claims(builds, "one", job.ID, 1), true); err != nil {
		t.Fatal(err)
	}
	i.claims(builds, "two", job.ID, 2)
	i.is(job.ID, built...)
}

func TestSourceThatCannotBeBuiltFailsTheJob(t *testing.T) {
	t.Parallel()
	i := newIntake(t, repotest.Followed)
	builds := i.builds()
	job := i.queues("first")
	want := &verify.Failure{Code: verify.BuildFailed, Message: "line 1: unexpected token"}
	claimed := i.claims(builds, "one", job.ID, 1)
	if err := builds.Fail(t.Context(), claimed, pinned, &verify.Output{LogTail: "error"}, want); err != nil {
		t.Fatal(err)
	}
	failed := i.is(job.ID, then(verify.Failed)...)
	if diff := cmp.Diff(want, failed.Failure); diff != "" || failed.Build == nil || failed.Build.LogTail != "error" || failed.FinishedAt == nil {
		t.Errorf("build %+v; failure (-want +got):\n%s", failed.Build, diff)
	}
	large := i.queues("large")
	if err := builds.Deliver(t.Context(), i.claims(builds, "one", large.ID, 1), pinned, &verify.Output{Class: make([]byte, verify.MaxClass+1)}); err != nil {
		t.Fatal(err)
	}
	if failed := i.is(large.ID, then(verify.Failed)...); failed.Failure.Code != verify.BuildLimitExceeded {
		t.Errorf("got %+v, want %s for a class that is too large", failed.Failure, verify.BuildLimitExceeded)
	}
}

func TestOutageIsNotTakenForAFailedBuild(t *testing.T) {
	t.Parallel()
	i := newIntake(t, repotest.Followed)
	builds := i.builds()
	job := i.queues("first")
	claimed := i.claims(builds, "one", job.ID, 1)
	rejecting := compilerFunc(func(_ context.Context, source io.Reader) (*verify.Output, error) {
		if _, err := io.Copy(io.Discard, source); err != nil {
			return nil, &verify.Failure{Code: verify.ArchiveRejected, Message: "The archive ends too early."}
		}
		return nil, nil
	})
	i.do("UPDATE verification_sources SET bytes = '' WHERE part = 1") // damaged
	if _, err := builds.Compile(t.Context(), claimed, rejecting); err == nil || strings.Contains(err.Error(), "too early") {
		t.Errorf("got %v, want the error of the damaged piece", err)
	}
	i.moves(job.ID, verify.Cancelled)
	if _, err := builds.Compile(t.Context(), claimed, rejecting); !errors.Is(err, verify.ErrSourceDeleted) {
		t.Errorf("got %v, want %v: the source of a job that has ended is not visible", err, verify.ErrSourceDeleted)
	}
}

func TestCancelledBuildStoresNothing(t *testing.T) {
	t.Parallel()
	i := newIntake(t, repotest.Followed)
	builds := i.builds()
	job := i.queues("first")
	claimed := i.claims(builds, "one", job.ID, 1)
	if _, err := i.Cancel(t.Context(), domain.Mainnet, "a", job.ID); err != nil {
		t.Fatal(err)
	}
	i.lost(builds, claimed)
	if n := i.candidates(); n != 0 {
		t.Errorf("got %d candidates, want none", n)
	}
	i.clock.passes(verify.LeaseTime)
	i.claimsNothing(builds, "two")
	i.is(job.ID, then(verify.Cancelled)...)
}

func TestCandidateIsDeletedWhenItsJobEnds(t *testing.T) {
	t.Parallel()
	for name, ends := range map[string]func(i *intake, id string){
		"success":  func(i *intake, id string) { i.moves(id, verify.Succeeded) },
		"mismatch": func(i *intake, id string) { i.moves(id, verify.Mismatch) },
		"failure":  func(i *intake, id string) { i.moves(id, verify.Failed) },
		"cancellation": func(i *intake, id string) {
			if _, err := i.Cancel(i.Context(), domain.Mainnet, "a", id); err != nil {
				i.Error(err)
			}
		},
		"retention": func(i *intake, _ string) {
			i.clock.passes(24 * time.Hour)
			i.keepsUp(map[verify.Upkeep]int{verify.DeleteSource: 1})
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			i := newIntake(t, repotest.Followed)
			builds := i.builds()
			job := i.queues("first")
			if err := builds.Deliver(t.Context(), i.claims(builds, "one", job.ID, 1), pinned, &verify.Output{Class: []byte("{}")}); err != nil {
				t.Fatal(err)
			}
			if n := i.candidates(); n != 1 {
				t.Fatalf("got %d candidates while comparing, want one", n)
			}
			ends(i, job.ID)
			if n := i.candidates(); n != 0 {
				t.Errorf("got %d candidates after the end, want none", n)
			}
		})
	}
}

func TestAbandonedBuildFailsAndMayBeRetried(t *testing.T) {
	t.Parallel()
	i := newIntake(t, repotest.Followed)
	builds := i.builds()
	job := i.queues("first")
	claimed := i.claims(builds, "one", job.ID, 1)
	i.clock.passes(verify.BuildPatience - time.Millisecond)
	if err := builds.Renew(t.Context(), claimed); err != nil {
		t.Fatal(err)
	}
	i.clock.passes(verify.BuildPatience - time.Millisecond)
	i.keepsUp(nil)
	i.clock.passes(time.Millisecond)
	i.keepsUp(map[verify.Upkeep]int{verify.AbandonBuild: 1})
	i.keepsUp(nil)
	i.lost(builds, claimed)
	if failed := i.is(job.ID, then(verify.Failed)...); failed.Failure == nil || !failed.Failure.Code.Retryable() {
		t.Errorf("got %+v, want a retryable failure", failed.Failure)
	}
}

func TestJobThatNoControllerComparesFailsAndMayBeRetried(t *testing.T) {
	t.Parallel()
	i := newIntake(t, repotest.Followed)
	builds := i.builds()
	job := i.queues("first")
	claimed := i.claims(builds, "one", job.ID, 1)
	i.clock.passes(time.Minute)
	if err := builds.Deliver(t.Context(), claimed, pinned, &verify.Output{Class: []byte("{}")}); err != nil {
		t.Fatal(err)
	}
	i.clock.passes(verify.ComparisonLimit - time.Millisecond)
	i.keepsUp(nil)
	i.is(job.ID, then(verify.Comparing)...)
	i.clock.passes(time.Millisecond)
	i.keepsUp(map[verify.Upkeep]int{verify.AbandonCompare: 1})
	i.keepsUp(nil)
	if failed := i.is(job.ID, then(verify.Comparing, verify.Failed)...); failed.Failure == nil || !failed.Failure.Code.Retryable() || i.candidates() != 0 {
		t.Errorf("got %+v and %d candidates, want a retryable failure and none", failed.Failure, i.candidates())
	}
}

func TestBuilderDescribesItselfAndIsForgottenAfterADay(t *testing.T) {
	t.Parallel()
	i := newIntake(t, repotest.Followed)
	i.do("DELETE FROM verification_builders")
	builds := i.builds()
	report := verify.Builder{ID: "two", ReasonCode: "no_toolchain", Reason: "No compiler is installed."}
	for range 2 {
		if err := builds.Report(t.Context(), report); err != nil {
			t.Fatal(err)
		}
	}
	got, err := i.Availability(t.Context())
	want := verify.Availability{ReasonCode: "no_toolchain", Reason: "No compiler is installed.", Measures: []verify.Measure{}}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("%v; availability (-want +got):\n%s", err, diff)
	}
	report = verify.Builder{ID: "two", Ready: true, Toolchain: pinned, Measures: []verify.Measure{{Name: "memory", By: "cgroup"}}}
	if err := builds.Report(t.Context(), report); err != nil {
		t.Fatal(err)
	}
	i.do("UPDATE verification_controllers SET toolchain_name = $1, toolchain_version = $2, toolchain_digest = $3", pinned.Name, pinned.Version, pinned.Digest)
	got, err = i.Availability(t.Context())
	want = verify.Availability{Available: true, Toolchain: &pinned, Environment: "demo", Measures: report.Measures}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("%v; availability (-want +got):\n%s", err, diff)
	}
	i.clock.passes(24 * time.Hour)
	i.keepsUp(nil)
	if n := i.count("verification_builders"); n != 1 {
		t.Errorf("got %d builders after a day, want one", n)
	}
	i.clock.passes(time.Millisecond)
	i.keepsUp(nil)
	if n := i.count("verification_builders"); n != 0 {
		t.Errorf("got %d builders after more than a day, want none", n)
	}
}
