package rest

import (
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"astrolabe/access"
	"astrolabe/domain"
	"astrolabe/domain/account"
	"astrolabe/domain/verify"
	"astrolabe/rest/verification"
	"astrolabe/starknet"
)

var regexpJobID = regexp.MustCompile(`vrf_[a-z0-9]{24,40}`)

func TestJobViewHasEveryField(t *testing.T) {
	t.Parallel()
	v := newVerifier(t)
	path := v.created("k")
	id := strings.TrimPrefix(path, jobsRoute+"/")
	want := verification.JobBody{
		JobID: id, ChainID: domain.Mainnet, State: verify.AwaitingUpload, SelectedClassHash: v.class,
		ToolchainPolicyID: "service-exact-v25", PackageName: "hello", TargetName: "hello", ArtifactID: "e1p6jp2ak1nmk", ModulePath: "hello::Hello",
		SourceVisibility: "private", RetentionPolicyID: "private-24h-v1", CreatedAt: noon, UpdatedAt: noon, UploadExpiresAt: noon.Add(30 * time.Minute),
		PollAfterSeconds: 5, IdempotencyKey: "k", History: []verification.TransitionBody{{State: verify.AwaitingUpload, At: noon}},
	}
	expect := func(name string) {
		t.Helper()
		if diff := cmp.Diff(want, v.job(path)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
	expect("created")
	v.upload(path, sourceArchive)
	want.State, want.SourceCommittedAt = verify.Validating, &noon
	want.History = append(want.History, verification.TransitionBody{State: verify.Validating, At: noon})
	expect("committed")

	v.anyMove()
	v.execute("UPDATE verification_jobs SET state = 7, finished_at = $2, source_deleted_at = $2, failure_code = 'verifier_dispatch_failed', failure_message = 'Retry.' WHERE id = $1", id, noon)
	want.State, want.Terminal, want.FinishedAt, want.SourceDeletedAt = verify.Failed, true, &noon, &noon
	want.Retryable, want.FailureCode, want.FailureMessage = new(true), new(verify.DispatchFailed), new("Retry.")
	expect("failed")

	v.execute(`UPDATE verification_jobs SET state = 6, failure_code = 'class_hash_mismatch', failure_message = 'It differs.', produced_class_hash = $2,
		build = '{"Toolchain":{"Name":"scarb","Version":"2.12.0","Digest":"sha256:00"},"Profile":"release","Duration":1500000000,"LogTail":"Finished"}' WHERE id = $1`, id, starknet.Felt{31: 7})
	want.State, want.Retryable, want.FailureCode, want.FailureMessage = verify.Mismatch, new(false), new(verify.ClassHashMismatch), new("It differs.")
	want.ProducedClassHash = &starknet.Felt{31: 7}
	want.Build = &verification.BuildBody{Toolchain: verification.ToolchainBody{Name: "scarb", Version: "2.12.0", Digest: "sha256:00"}, Profile: "release", DurationMs: 1500, LogTail: "Finished"}
	expect("mismatch")

	v.execute("UPDATE verification_jobs SET state = 5, failure_code = NULL, failure_message = NULL, receipt_id = 42 WHERE id = $1", id)
	want.State, want.Retryable, want.FailureCode, want.FailureMessage = verify.Succeeded, nil, nil, nil
	want.ReceiptID, want.ReceiptURL = new(uint64(42)), new(path+"/receipt")
	expect("succeeded")

	head := v.ask(http.MethodHead, path)
	if head.StatusCode != http.StatusOK || head.body != "" || head.Header.Get("Cache-Control") != "private, no-store" {
		t.Errorf("HEAD: got %d %v %q, want 200 without a body, private and not stored", head.StatusCode, head.Header, head.body)
	}
}

func TestCancelLeavesAnEndedJobUnchanged(t *testing.T) {
	t.Parallel()
	v := newVerifier(t)
	path := v.created("k")
	cancel := func() verification.JobBody {
		t.Helper()
		return decodeBody[verification.JobBody](t, v.ask(http.MethodPost, path+"/cancel"))
	}
	later := noon.Add(time.Minute)
	v.clock.Store(&later)
	cancelled := cancel()
	if cancelled.State != verify.Cancelled || !cancelled.Terminal || cancelled.FinishedAt == nil || !cancelled.FinishedAt.Equal(later) || len(cancelled.History) != 2 {
		t.Errorf("got %+v, want it cancelled at %s", cancelled, later)
	}
	for _, state := range verify.States {
		if !state.Terminal() {
			continue
		}
		want := v.ends(path, state)
		if diff := cmp.Diff(want, cancel()); diff != "" {
			t.Errorf("cancel of a job that is %s (-want +got):\n%s", state, diff)
		}
	}
}

func TestReceiptIsNotFoundBeforeSuccess(t *testing.T) {
	t.Parallel()
	v := newVerifier(t)
	path := v.created("k")
	for _, state := range verify.States {
		if state == verify.Succeeded {
			continue
		}
		if state.Terminal() {
			v.ends(path, state)
		}
		requireFailure(t, v.get(path+"/receipt"), 404, domain.CodeNotFound)
	}
}

// jobRequests are the requests to the routes of a job.
func (v *verifier) jobRequests(job string) map[string]func(header ...string) answer {
	return map[string]func(header ...string) answer{
		"read":    func(header ...string) answer { return v.askWith(http.MethodGet, job, header...) },
		"head":    func(header ...string) answer { return v.askWith(http.MethodHead, job, header...) },
		"receipt": func(header ...string) answer { return v.askWith(http.MethodGet, job+"/receipt", header...) },
		"cancel":  func(header ...string) answer { return v.askWith(http.MethodPost, job+"/cancel", header...) },
		"upload": func(header ...string) answer {
			return v.requestWith(http.MethodPut, job+"/source", sourceArchive, append(header, "Content-Type", "application/gzip")...)
		},
	}
}

// TestJobOfAnotherWorkspaceLooksAbsent compares whole answers: nothing differs
// between a job of somebody else and an ID that no job has.
func TestJobOfAnotherWorkspaceLooksAbsent(t *testing.T) {
	t.Parallel()
	v := newVerifier(t)
	foreign := v.created("k")
	ids := []string{
		"vrf_abcdefghijklmnopqrstuvwxyz", "vrf_", "vrf_" + strings.Repeat("a", 25), strings.ToUpper(foreign[len(jobsRoute)+1:]), "0", "null", "a%2Fb", "%00", "%ff",
		"%27%3B%20DROP", strings.Repeat("a", 1000),
	}
	type seen struct {
		status int
		body   string
		header http.Header
	}
	for route, ask := range v.jobRequests(foreign) {
		view := func(a answer) seen {
			header := a.Header.Clone()
			for _, moving := range []string{"Date", "X-Ratelimit-Remaining"} {
				header.Del(moving)
			}
			return seen{a.StatusCode, a.body, header}
		}
		header := []string{"X-Service-Api-Key", v.other, "X-Request-Id", "same"}
		want := view(ask(header...))
		if want.status != http.StatusNotFound {
			t.Fatalf("%s: got %d %s, want 404", route, want.status, want.body)
		}
		for _, id := range ids {
			got := view(v.jobRequests(jobsRoute + "/" + id)[route](header...))
			if diff := cmp.Diff(want, got, cmp.AllowUnexported(seen{})); diff != "" {
				t.Errorf("%s %s (-foreign +absent):\n%s", route, id, diff)
			}
		}
		sepolia := v.jobRequests(strings.Replace(foreign, "SN_MAIN", "SN_SEPOLIA", 1))[route]("X-Service-Api-Key", v.access.Key)
		if sepolia.StatusCode != http.StatusNotFound {
			t.Errorf("%s on another chain: got %d %s, want 404", route, sepolia.StatusCode, sepolia.body)
		}
	}
	if got := v.job(foreign); got.State != verify.AwaitingUpload {
		t.Errorf("got %s, want the job untouched", got.State)
	}
}

// TestOnlyKeysOfTheWorkspaceReachAJob shows every other credential to every route
// and to a job that exists.
func TestOnlyKeysOfTheWorkspaceReachAJob(t *testing.T) {
	t.Parallel()
	v := newVerifier(t)
	job := v.created("k")
	page, _ := v.access.Gate.FirstParty.Issue(v.url, loopback)
	requests := v.jobRequests(job)
	requests["create"] = func(header ...string) answer {
		return v.requestWith(http.MethodPost, jobsRoute, []byte(v.packaged(nil)), append(header, "Content-Type", "application/json", "Idempotency-Key", "new")...)
	}
	for name, c := range map[string]struct {
		header    []string
		status    int
		challenge string
	}{
		"no key":          {nil, 401, `error="invalid_token"`},
		"session cookie":  {[]string{"Cookie", access.SessionCookie + "=" + v.access.Cookie}, 401, `error="invalid_token"`},
		"session bearer":  {[]string{"Authorization", "Bearer " + v.bearer()}, 401, `error="invalid_token"`},
		"internal key":    {[]string{"X-Service-Internal-Key", v.access.Key}, 401, `error="invalid_token"`},
		"first party":     {[]string{access.PageHeader, page.Reveal()}, 403, `error="insufficient_scope", scope="verify"`},
		"an unknown key":  {[]string{"X-Service-Api-Key", account.NewKeyText(account.Live).Reveal()}, 401, `error="invalid_token"`},
		"an expired key":  {[]string{"X-Service-Api-Key", v.access.IssueExpired(account.IssueRequest{Permissions: account.Grantable})}, 401, `error="invalid_token"`},
		"key as a bearer": {[]string{"Authorization", "Bearer " + v.access.Key}, 401, `error="invalid_token"`},
	} {
		for route, ask := range requests {
			a := ask(c.header...)
			if got := a.Header.Get("WWW-Authenticate"); a.StatusCode != c.status || !strings.HasSuffix(got, c.challenge) {
				t.Errorf("%s with %s: got %d %s and the challenge %q, want %d and %q", route, name, a.StatusCode, a.body, got, c.status, c.challenge)
			}
		}
	}
	if n := v.count("verification_jobs"); n != 1 {
		t.Errorf("got %d jobs, want 1", n)
	}
	// Any key of the workspace reaches it, whatever was granted to that key.
	for _, permission := range account.Grantable {
		a := requests["read"]("X-Service-Api-Key", v.access.Keys[permission])
		if a.StatusCode != http.StatusOK {
			t.Errorf("a key with %s: got %d %s, want 200", permission, a.StatusCode, a.body)
		}
	}
	if a := requests["upload"]("X-Service-Api-Key", v.access.Keys[account.Trace]); a.StatusCode != http.StatusAccepted {
		t.Errorf("upload: got %d %s, want 202", a.StatusCode, a.body)
	}
	if !slices.ContainsFunc(v.job(job).History, func(m verification.TransitionBody) bool { return m.State == verify.Validating }) {
		t.Error("got no move to validating, want one")
	}
}
