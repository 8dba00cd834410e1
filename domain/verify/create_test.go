package verify_test

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"astrolabe/domain"
	"astrolabe/domain/account"
	"astrolabe/domain/verify"
	"astrolabe/repo/repotest"
)

func TestThousandConcurrentIdenticalCreatesMakeOneJob(t *testing.T) {
	t.Parallel()
	i := newIntake(t, repotest.Followed)
	const requests = 1000
	spellings := [][]byte{i.described(), i.described(with("uploadByteLength", jsonNumber(fmt.Sprintf("%d.0", len(archive))))), i.described(with("selectedClassHash", "0x00"+i.class.String()[2:]))}
	ids, fresh := make(chan string, requests), make(chan bool, requests)
	var group sync.WaitGroup
	for n := range requests {
		group.Go(func() {
			job, created, err := i.Create(t.Context(), domain.Mainnet, key("a"), "same", spellings[n%len(spellings)])
			if err != nil {
				t.Errorf("request %d: got %v, want a job", n, err)
				return
			}
			ids <- job.ID
			fresh <- created
		})
	}
	group.Wait()
	close(ids)
	close(fresh)
	different, created := map[string]bool{}, 0
	for id := range ids {
		different[id] = true
	}
	for is := range fresh {
		if is {
			created++
		}
	}
	if len(different) != 1 || created != 1 {
		t.Errorf("got %d jobs and %d answers that it is new, want one of each", len(different), created)
	}
	if n := i.count("verification_jobs"); n != 1 {
		t.Errorf("got %d stored jobs, want 1", n)
	}
	if n := i.count("verification_creates WHERE created = 1"); n != 1 {
		t.Errorf("got %d counts of one create, want 1", n)
	}
}

func TestNewJobAwaitsItsUpload(t *testing.T) {
	t.Parallel()
	i := newIntake(t, repotest.Followed)
	made := i.creates("a", "first")
	want := &verify.Job{
		ID: made.ID, Number: 1, Chain: domain.Mainnet, Workspace: "a", IdempotencyKey: "first", State: verify.AwaitingUpload,
		CreatedAt: noon, UpdatedAt: noon, UploadExpiresAt: noon.Add(30 * time.Minute), History: []verify.Transition{{State: verify.AwaitingUpload, At: noon}},
	}
	want.Package, _ = verify.ParsePackage(i.described())
	if diff := cmp.Diff(want, made); diff != "" {
		t.Errorf("created (-want +got):\n%s", diff)
	}
	read := i.is(made.ID, verify.AwaitingUpload)
	if diff := cmp.Diff(want, read); diff != "" {
		t.Errorf("read (-want +got):\n%s", diff)
	}
}

func TestKeyOfAnotherPackageIsAConflict(t *testing.T) {
	t.Parallel()
	i := newIntake(t, repotest.Followed)
	i.creates("a", "used")
	i.refuses(domain.CodeIdempotencyKeyReused, "a", "used", with("packageName", "other"))
	if job := i.creates("b", "used", with("packageName", "other")); job.Workspace != "b" {
		t.Errorf("got a job of %s, want one of b: keys belong to workspaces", job.Workspace)
	}
}

func TestReplayIsAnsweredBeforeEveryLimit(t *testing.T) {
	t.Parallel()
	i := newIntake(t, repotest.Followed)
	first := i.creates("a", "first")
	i.do("UPDATE verification_creates SET created = 5")
	i.builderSays(false, "sandbox_unavailable", "The sandbox cannot start.")
	again, created, err := i.Create(t.Context(), domain.Mainnet, key("a"), "first", i.described())
	if err != nil || created || again.ID != first.ID {
		t.Errorf("got created %t and %v, want the first job", created, err)
	}
	if _, err := i.Cancel(t.Context(), domain.Mainnet, "a", first.ID); err != nil {
		t.Fatal(err)
	}
	if again, created, err = i.Create(t.Context(), domain.Mainnet, key("a"), "first", i.described()); err != nil || created || again.State != verify.Cancelled {
		t.Errorf("got created %t and %v, want the cancelled job", created, err)
	}
}

func TestWorkspaceHasOneActiveJob(t *testing.T) {
	t.Parallel()
	i := newIntake(t, repotest.Followed)
	first := i.creates("a", "first")
	if refused := i.refuses(domain.CodeVerificationActiveJob, "a", "second"); refused.RetryAfter != time.Minute {
		t.Errorf("got a retry after %s, want 60s", refused.RetryAfter)
	}
	i.creates("b", "first")
	if _, err := i.Cancel(t.Context(), domain.Mainnet, "a", first.ID); err != nil {
		t.Fatal(err)
	}
	i.creates("a", "second")
}

func TestJobPastItsUploadWindowDoesNotBlockTheNext(t *testing.T) {
	t.Parallel()
	i := newIntake(t, repotest.Followed)
	first := i.creates("a", "first")
	i.clock.passes(verify.UploadWindow)
	i.seen()
	i.creates("a", "second")
	i.is(first.ID, verify.AwaitingUpload, verify.Expired)
}

func TestWorkspaceCreatesFiveJobsAUTCDay(t *testing.T) {
	t.Parallel()
	i := newIntake(t, repotest.Followed)
	for n := range verify.MaxPerDay {
		job := i.creates("a", fmt.Sprint("job", n))
		i.refuses(domain.CodeVerificationActiveJob, "a", fmt.Sprint("refused", n)) // which does not count
		i.moves(job.ID, verify.Cancelled)
	}
	refused := i.refuses(domain.CodeVerificationDailyQuota, "a", "sixth")
	if refused.RetryAfter != 12*time.Hour {
		t.Errorf("got a retry after %s, want the 12h from noon to midnight UTC", refused.RetryAfter)
	}
	i.creates("b", "first")
	i.clock.passes(12*time.Hour - time.Millisecond)
	i.seen()
	i.refuses(domain.CodeVerificationDailyQuota, "a", "sixth")
	i.clock.passes(time.Millisecond)
	i.creates("a", "sixth")
}

func TestSixtyFourUnfinishedJobsFillTheQueue(t *testing.T) {
	t.Parallel()
	i := newIntake(t, repotest.Followed)
	first := i.creates("a", "first")
	for n := 1; n < verify.MaxQueue; n++ {
		i.do("INSERT INTO workspaces (id, name, plan, created_at) VALUES ($1, $1, 'standard', now())", fmt.Sprint("w", n))
		i.do(`INSERT INTO verification_jobs (id, chain, workspace, idempotency_key, package, state, created_at, updated_at, upload_expires_at)
			SELECT $1, chain, $1, idempotency_key, package, 0, created_at, updated_at, upload_expires_at FROM verification_jobs WHERE workspace = 'a'`, fmt.Sprint("w", n))
	}
	if refused := i.refuses(domain.CodeVerificationQueueFull, "b", "first"); refused.RetryAfter == 0 {
		t.Error("got no time to retry, want one")
	}
	if n := i.count("verification_creates WHERE workspace = 'b'"); n != 0 {
		t.Errorf("got %d counts of the refused workspace, want none", n)
	}
	i.moves(first.ID, verify.Cancelled)
	// Two workspaces compete for the one place.
	i.workspace("c")
	outcomes := make(chan error, 2)
	for _, workspace := range []string{"b", "c"} {
		go func() {
			_, _, err := i.Create(t.Context(), domain.Mainnet, key(workspace), "first", i.described())
			outcomes <- err
		}()
	}
	one, other := <-outcomes, <-outcomes
	if one == nil {
		one, other = other, one
	}
	if other != nil || domain.CodeOf(one) != domain.CodeVerificationQueueFull {
		t.Errorf("got %v and %v, want one job and one %s", other, one, domain.CodeVerificationQueueFull)
	}
}

func TestCreateNeedsAReadyBuilder(t *testing.T) {
	t.Parallel()
	i := newIntake(t, repotest.Followed)
	available := verify.Availability{Available: true, Toolchain: &verify.Toolchain{Name: "scarb", Version: "2.12.0", Digest: "sha256:00"}, Environment: "demo", Measures: []verify.Measure{}}
	i.says(available)
	i.builderSays(false, "sandbox_unavailable", "The sandbox cannot start.")
	refused := i.refuses(domain.CodeVerificationUnavailable, "a", "first")
	if want := "Contracts cannot be verified now (sandbox_unavailable). The sandbox cannot start."; refused.Message != want || refused.RetryAfter == 0 {
		t.Errorf("got %q and a retry after %s, want %q and a time", refused.Message, refused.RetryAfter, want)
	}
	i.says(verify.Availability{ReasonCode: "sandbox_unavailable", Reason: "The sandbox cannot start.", Toolchain: available.Toolchain, Environment: "demo", Measures: []verify.Measure{}})
	i.builderSays(true, "", "")
	i.clock.passes(verify.BuilderSilence)
	i.creates("a", "first")
	i.clock.passes(time.Millisecond)
	i.says(verify.Availability{ReasonCode: verify.ReasonNoBuilder, Reason: "No process of this deployment builds contracts."})
	i.refuses(domain.CodeVerificationUnavailable, "b", "first")
}

func TestCreateNeedsAControllerThatSignsForTheBuilder(t *testing.T) {
	t.Parallel()
	i := newIntake(t, repotest.Followed)
	toolchain := &verify.Toolchain{Name: "scarb", Version: "2.12.0", Digest: "sha256:00"}
	i.do("UPDATE verification_controllers SET toolchain_digest = 'sha256:01'")
	i.says(verify.Availability{ReasonCode: verify.ReasonOtherKey, Reason: "No process of this deployment signs receipts for the toolchain of the builder.", Toolchain: toolchain, Measures: []verify.Measure{}})
	i.do("UPDATE verification_controllers SET ready = false, reason_code = 'key_revoked', reason = 'The key was revoked.'")
	i.says(verify.Availability{ReasonCode: "key_revoked", Reason: "The key was revoked.", Toolchain: toolchain, Measures: []verify.Measure{}})
	i.do("UPDATE verification_controllers SET seen_at = $1", i.clock.now().Add(-verify.BuilderSilence-time.Millisecond))
	i.says(verify.Availability{ReasonCode: verify.ReasonNoController, Reason: "No process of this deployment signs receipts.", Toolchain: toolchain, Measures: []verify.Measure{}})
	i.refuses(domain.CodeVerificationUnavailable, "a", "first")
	i.builderSays(false, "no_sandbox", "The sandbox is missing.")
	i.says(verify.Availability{ReasonCode: "no_sandbox", Reason: "The sandbox is missing.", Toolchain: toolchain, Measures: []verify.Measure{}})
}

func (i *intake) says(want verify.Availability) {
	i.Helper()
	got, err := i.Availability(i.Context())
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		i.Errorf("availability: got %v (-want +got):\n%s", err, diff)
	}
}

func TestClassMustBeDeclaredInTheIndex(t *testing.T) {
	t.Parallel()
	whole := newIntake(t, repotest.Followed)
	refused := whole.refuses(domain.CodeDeclarationUnavailable, "a", "first", with("selectedClassHash", "0x1234"))
	if want := "selectedClassHash: Class 0x1234 is undeclared through block 60, the newest indexed one."; refused.Message != want {
		t.Errorf("got %q, want %q", refused.Message, want)
	}
	later := newIntake(t, repotest.Begun)
	refused = later.refuses(domain.CodeDeclarationUnavailable, "a", "first", with("selectedClassHash", "0x1234"))
	if want := fmt.Sprintf("selectedClassHash: No indexed block (%d to 60) declares class 0x1234. It is undeclared, or was declared before block %[1]d, where the index of this service begins.", repotest.PartialFirst); refused.Message != want {
		t.Errorf("got %q, want %q", refused.Message, want)
	}
	refused = later.refuses(domain.CodeDeclarationUnavailable, "a", "first", with("selectedClassHash", later.used().String()))
	if want := fmt.Sprintf("selectedClassHash: Class %s was declared before block %d, where the index of this service begins, so it cannot be verified here.", later.used(), repotest.PartialFirst); refused.Message != want {
		t.Errorf("got %q, want %q", refused.Message, want)
	}
	empty := newIntake(t, repotest.Migrated)
	empty.refuses(domain.CodeDeclarationUnavailable, "a", "first", with("selectedClassHash", "0x1234"))
	if n := whole.count("verification_creates") + later.count("verification_creates") + empty.count("verification_jobs"); n != 0 {
		t.Errorf("got %d rows after refused requests, want none", n)
	}
}

func TestCreateChecksItsInputsInOrder(t *testing.T) {
	t.Parallel()
	i := newIntake(t, repotest.Followed)
	i.builderSays(false, "", "")
	otherPolicy := i.described(with("toolchainPolicyId", "service-exact-v24"))
	for _, c := range []struct {
		name   string
		chain  domain.Chain
		caller *account.Caller
		key    string
		body   []byte
		want   domain.Code
	}{
		{"no caller", domain.Mainnet, nil, "", nil, domain.CodeUnauthorized},
		{"no permission", domain.Mainnet, &account.Caller{Kind: account.ByKey, Workspace: "a"}, "", nil, domain.CodeForbidden},
		{"a session", domain.Mainnet, &account.Caller{Kind: account.BySession, Workspace: "a", Permissions: account.Permissions}, "", nil, domain.CodeForbidden},
		{"an internal key", domain.Mainnet, &account.Caller{Kind: account.ByInternal, Permissions: account.Permissions}, "", nil, domain.CodeForbidden},
		{"no key", domain.Sepolia, key("a"), "", nil, domain.CodeIdempotencyKeyRequired},
		{"a key with a space", domain.Sepolia, key("a"), "a b", nil, domain.CodeInvalidIdempotencyKey},
		{"a key of 129 characters", domain.Sepolia, key("a"), fmt.Sprintf("%0129d", 0), nil, domain.CodeInvalidIdempotencyKey},
		{"a key that is not ASCII", domain.Sepolia, key("a"), "ключ", nil, domain.CodeInvalidIdempotencyKey},
		{"no JSON", domain.Sepolia, key("a"), "k", []byte("{"), domain.CodeInvalidRequest},
		{"a faulty field", domain.Sepolia, key("a"), "k", i.described(with("buildProfile", "dev"), with("toolchainPolicyId", "other")), domain.CodeInvalidVerificationPackage},
		{"another chain", domain.Sepolia, key("a"), "k", otherPolicy, domain.CodeUnsupportedVerificationChain},
		{"another policy", domain.Mainnet, key("a"), "k", otherPolicy, domain.CodeUnsupportedPolicy},
		{"no builder", domain.Mainnet, key("a"), fmt.Sprintf("%0128d", 0), i.described(with("selectedClassHash", "0x1234")), domain.CodeVerificationUnavailable},
		{"no such workspace", domain.Mainnet, key("nobody"), "k", i.described(), domain.CodeVerificationUnavailable},
	} {
		if _, _, err := i.Create(t.Context(), c.chain, c.caller, c.key, c.body); domain.CodeOf(err) != c.want {
			t.Errorf("%s: got %v, want %s", c.name, err, c.want)
		}
	}
}
