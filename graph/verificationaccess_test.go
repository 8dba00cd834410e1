package graph

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"astrolabe/access"
	"astrolabe/domain"
	"astrolabe/domain/account"
	"astrolabe/domain/verify"
	"astrolabe/graph/resolver"
)

// refused expects a payload without a job, with one error.
func (v *verifying) refused(p payload, code domain.Code) resolver.UserError {
	v.Helper()
	if p.Job != nil || p.Created != nil || p.UploadPath != nil || len(p.UserErrors) != 1 || p.UserErrors[0].Code != string(code) {
		v.Fatalf("got %+v, want no job and %s", p, code)
	}
	return p.UserErrors[0]
}

// TestRefusedCreateIsAUserErrorWithTheCodeOfREST has a create for every code, in
// the order of the checks: each request has the fault of its row only.
func TestRefusedCreateIsAUserErrorWithTheCodeOfREST(t *testing.T) {
	t.Parallel()
	v := serveVerification(t)
	active := v.creates("active")
	for name, c := range map[string]struct {
		code     domain.Code
		key      string
		changes  map[string]any
		argument string
	}{
		"no key":        {domain.CodeIdempotencyKeyRequired, "", nil, "idempotencyKey"},
		"malformed key": {domain.CodeInvalidIdempotencyKey, "a b", nil, "idempotencyKey"},
		"long key":      {domain.CodeInvalidIdempotencyKey, strings.Repeat("k", 129), nil, "idempotencyKey"},
		"reused key":    {domain.CodeIdempotencyKeyReused, "active", map[string]any{"packageName": "other"}, "idempotencyKey"},
		"digest":        {domain.CodeInvalidVerificationPackage, "k", map[string]any{"uploadDigest": "sha256:00"}, "input.uploadDigest"},
		"no bytes":      {domain.CodeInvalidVerificationPackage, "k", map[string]any{"uploadByteLength": 0}, "input.uploadByteLength"},
		"negative":      {domain.CodeInvalidVerificationPackage, "k", map[string]any{"uploadByteLength": -1}, "input.uploadByteLength"},
		"too long":      {domain.CodeInvalidVerificationPackage, "k", map[string]any{"uploadByteLength": verify.MaxUpload + 1}, "input.uploadByteLength"},
		"package":       {domain.CodeInvalidVerificationPackage, "k", map[string]any{"packageName": ""}, "input.packageName"},
		"profile":       {domain.CodeInvalidVerificationPackage, "k", map[string]any{"buildProfile": "dev"}, "input.buildProfile"},
		"target":        {domain.CodeInvalidVerificationPackage, "k", map[string]any{"targetName": "a b"}, "input.targetName"},
		"kind":          {domain.CodeInvalidVerificationPackage, "k", map[string]any{"targetKind": "lib"}, "input.targetKind"},
		"artifact":      {domain.CodeInvalidVerificationPackage, "k", map[string]any{"artifactId": ""}, "input.artifactId"},
		"module":        {domain.CodeInvalidVerificationPackage, "k", map[string]any{"modulePath": "hello/Hello"}, "input.modulePath"},
		"retention":     {domain.CodeInvalidVerificationPackage, "k", map[string]any{"retentionPolicyId": "public-30d-v1"}, "input.retentionPolicyId"},
		"policy":        {domain.CodeUnsupportedPolicy, "k", map[string]any{"toolchainPolicyId": "service-exact-v24"}, "input.toolchainPolicyId"},
		"undeclared":    {domain.CodeDeclarationUnavailable, "k", map[string]any{"selectedClassHash": "0x1234567"}, "input.selectedClassHash"},
	} {
		e := v.refused(v.create(c.key, c.changes, v.ours), c.code)
		if e.Argument == nil || *e.Argument != c.argument || e.RetryAfterSeconds != nil {
			t.Errorf("%s: got %+v, want the argument %s and no delay", name, e, c.argument)
		}
		if c.code != domain.CodeIdempotencyKeyReused && !strings.HasPrefix(e.Message, c.argument) {
			t.Errorf("%s: got %q, want a message about %s", name, e.Message, c.argument)
		}
	}
	a := v.send(createQuery, map[string]any{"chain": domain.Sepolia, "input": v.described(nil), "key": "k"}, v.ours)
	e := v.refused(data[struct{ CreateVerificationJob payload }](t, a).CreateVerificationJob, domain.CodeUnsupportedVerificationChain)
	if *e.Argument != "chain" {
		t.Errorf("got %+v, want the argument chain", e)
	}
	v.waits(domain.CodeVerificationActiveJob, 60)
	v.cancel(active, v.ours)
	v.execute(t, `INSERT INTO workspaces (id, name, plan, created_at) SELECT 'w' || n, 'w' || n, 'standard', now() FROM generate_series(1, 64) n`)
	v.execute(t, `INSERT INTO verification_jobs (id, chain, workspace, idempotency_key, package, state, created_at, updated_at, upload_expires_at)
		SELECT 'vrf_' || n, j.chain, 'w' || n, 'k', j.package, 0, now(), now(), now() + interval '1 day' FROM verification_jobs j, generate_series(1, 64) n`)
	v.waits(domain.CodeVerificationQueueFull, 60)
	v.execute(t, `INSERT INTO verification_creates (workspace, day, created) SELECT '`+v.owner+`', date_trunc('day', now(), 'UTC') + n * interval '1 day', 5 FROM generate_series(0, 1) n
		ON CONFLICT (workspace, day) DO UPDATE SET created = 5`)
	v.waits(domain.CodeVerificationDailyQuota, 24*60*60)
	v.builderSays(false, "no_sandbox", "The sandbox is missing.")
	if e := v.waits(domain.CodeVerificationUnavailable, 60); !strings.Contains(e.Message, "no_sandbox") || !strings.Contains(e.Message, "The sandbox is missing.") {
		t.Errorf("got %q, want the reason", e.Message)
	}
	if p := v.create("active", nil, v.ours); len(p.UserErrors) > 0 || p.Created == nil || *p.Created || p.Job["jobId"] != active {
		t.Errorf("identical create: got %+v, want the job %s whatever the limits are", p, active)
	}
}

// waits expects a create to be refused for at most some seconds.
func (v *verifying) waits(code domain.Code, most int) resolver.UserError {
	v.Helper()
	e := v.refused(v.create("new", nil, v.ours), code)
	if e.RetryAfterSeconds == nil || *e.RetryAfterSeconds < 1 || *e.RetryAfterSeconds > most || e.Argument != nil {
		v.Errorf("got %+v, want a delay of 1 to %d seconds and no argument", e, most)
	}
	return e
}

// TestPackageThatTheSchemaForbidsIsRejectedBeforeExecution holds what types can
// tell: a missing, unknown or malformed field is an error of the document.
func TestPackageThatTheSchemaForbidsIsRejectedBeforeExecution(t *testing.T) {
	t.Parallel()
	v := serveVerification(t)
	for name, change := range map[string]map[string]any{
		"missing": {"packageName": nil}, "unknown": {"chainId": "SN_MAIN"}, "a felt": {"selectedClassHash": "0xg"},
		"a number": {"uploadByteLength": "1"}, "a visibility": {"sourceVisibility": "SECRET"},
	} {
		a := v.send(createQuery, map[string]any{"input": v.described(change), "key": "k"}, v.ours)
		if codeOf(t, a.text) != domain.CodeInvalidRequest {
			t.Errorf("%s: got %s, want %s", name, a.text, domain.CodeInvalidRequest)
		}
	}
	if page := v.page(nil, nil, v.ours); len(page.Nodes) > 0 {
		t.Errorf("got %d jobs, want none", len(page.Nodes))
	}
}

// TestVerificationJobOfAnotherWorkspaceLooksAbsent compares whole responses: only
// the ID of the request differs.
func TestVerificationJobOfAnotherWorkspaceLooksAbsent(t *testing.T) {
	t.Parallel()
	v := serveVerification(t)
	id := v.creates("first")
	absent := "vrf_" + strings.Repeat("a", 26)
	type seen struct {
		Status int
		Data   string
		Errors []string
	}
	look := func(header map[string]string, chain domain.Chain, id string) (s []seen) {
		for _, query := range []string{jobQuery, cancelQuery} {
			a := v.send(query, map[string]any{"id": id, "chain": chain}, header)
			one := seen{Status: a.status, Data: string(a.body.Data)}
			for _, e := range a.body.Errors {
				one.Errors = append(one.Errors, string(e.Extensions.Code)+": "+e.Message)
			}
			s = append(s, one)
		}
		return s
	}
	want := look(v.ours, domain.Mainnet, absent)
	if want[0].Data != `{"verificationJob":null}` || len(want[0].Errors) != 1 || !strings.HasPrefix(want[0].Errors[0], "not_found: ") || !strings.Contains(want[1].Data, `"code":"not_found"`) {
		t.Fatalf("got %+v for an absent job, want null with %s", want, domain.CodeNotFound)
	}
	for name, got := range map[string][]seen{
		"another workspace's": look(v.theirs, domain.Mainnet, id), "another chain's": look(v.ours, domain.Sepolia, id),
		"upper case": look(v.ours, domain.Mainnet, strings.ToUpper(id)), "empty": look(v.ours, domain.Mainnet, ""),
		"hostile": look(v.ours, domain.Mainnet, "vrf_'; DROP TABLE verification_jobs; --"),
	} {
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: got another response than for an absent job (-want +got):\n%s", name, diff)
		}
	}
	if job := v.job(id); job["state"] != "AWAITING_UPLOAD" {
		t.Errorf("got the state %v, want AWAITING_UPLOAD", job["state"])
	}
	if p := v.create("first", map[string]any{"packageName": "theirs"}, v.theirs); p.Created == nil || !*p.Created {
		t.Errorf("got %+v for the same idempotency key in another workspace, want a new job", p)
	}
}

// TestOnlyAKeyOfAWorkspaceVerifies sends every operation as every other kind of
// caller, with the ID of a job that exists and of one that does not.
func TestOnlyAKeyOfAWorkspaceVerifies(t *testing.T) {
	t.Parallel()
	v := serveVerification(t)
	id := v.creates("first")
	needsVerify := `Bearer realm="service", error="insufficient_scope", scope="verify"`
	for caller, c := range map[string]struct {
		header http.Header
		want   outcome
	}{
		"a session":       {http.Header{"Authorization": {"Bearer " + v.access.Cookie}}, outcome{status: 403, code: domain.CodeForbidden, challenge: needsVerify}},
		"a page":          {http.Header{access.PageHeader: {v.pageToken("127.0.0.1")}}, outcome{status: 403, code: domain.CodeForbidden, challenge: needsVerify}},
		"an internal key": {http.Header{"X-Service-Internal-Key": {v.ours["X-Service-Api-Key"]}}, unknown},
		"nobody":          {http.Header{}, unknown},
	} {
		for _, of := range []string{id, "vrf_" + strings.Repeat("a", 26)} {
			for _, query := range []string{
				fmt.Sprintf(`{verificationJob(chain:SN_MAIN id:%q){state}}`, of), `{verificationJobs(chain:SN_MAIN){nodes{state}}}`,
				fmt.Sprintf(`mutation{cancelVerificationJob(chain:SN_MAIN id:%q){job{state}}}`, of),
				fmt.Sprintf(`mutation{createVerificationJob(chain:SN_MAIN idempotencyKey:"k" input:{selectedClassHash:%q uploadDigest:"" uploadByteLength:1 toolchainPolicyId:"" packageName:"" buildProfile:""
					targetName:"" targetKind:"" artifactId:"" modulePath:"" sourceVisibility:PRIVATE retentionPolicyId:""}){created}}`, v.class),
			} {
				if got := v.tryHTTP(t, c.header, query, mediaJSON); got != c.want {
					t.Errorf("%s: %.40s: got %+v, want %+v", caller, query, got, c.want)
				}
			}
		}
	}
	if job := v.job(id); job["state"] != "AWAITING_UPLOAD" {
		t.Errorf("got the state %v, want AWAITING_UPLOAD", job["state"])
	}
}

// TestMutationsOfKeysAndOfSessionsAreNotCombined sends an operation of both
// kinds, which neither caller may execute.
func TestMutationsOfKeysAndOfSessionsAreNotCombined(t *testing.T) {
	t.Parallel()
	v := serveVerification(t)
	id := v.creates("first")
	both := `mutation { ...Both __typename } fragment Both on Mutation { cancelVerificationJob(chain: SN_MAIN, id: "` + id + `") { job { state } } issueApiKey { plaintextKey } }`
	for name, header := range map[string]map[string]string{"a key": v.ours, "a session": v.asUser()} {
		if a := v.send(both, map[string]any{}, header); a.status != http.StatusForbidden || a.body.Data != nil || codeOf(t, a.text) != domain.CodeForbidden {
			t.Errorf("%s: got status %d with %s, want 403", name, a.status, a.text)
		}
	}
	if job := v.job(id); job["state"] != "AWAITING_UPLOAD" {
		t.Errorf("got the state %v, want AWAITING_UPLOAD", job["state"])
	}
	only := `mutation { __typename cancelVerificationJob(chain: SN_MAIN, id: "` + id + `") { job { state } } issueApiKey @skip(if: true) { plaintextKey } }`
	if a := v.send(only, map[string]any{}, v.ours); len(a.body.Errors) > 0 || !strings.Contains(a.text, "CANCELLED") {
		t.Errorf("got %s, want the job cancelled", a.text)
	}
}

// TestVerificationMutationsDrawOnTheirRESTClass takes what is left of a class, and
// finds the mutation refused that needs it. Reads need neither.
func TestVerificationMutationsDrawOnTheirRESTClass(t *testing.T) {
	t.Parallel()
	v := serveVerification(t)
	id := v.creates("first")
	caller, err := v.access.Gate.Keys.Authenticate(t.Context(), v.ours["X-Service-Api-Key"])
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		class  account.Class
		weight int
		send   func() payload
	}{
		{account.Heavy, 2500, func() payload { return v.create("first", nil, v.ours) }},
		{account.Light, 1000, func() payload { return v.cancel(id, v.ours) }},
	} {
		before, cost := *budgetRemaining(t, v.servedGraph, v.ours, c.class), *budgetRemaining(t, v.servedGraph, v.ours, account.Query)
		if p := c.send(); p.Job == nil {
			t.Fatalf("%s: got %+v, want the job", c.class, p)
		}
		v.job(id)
		left := *budgetRemaining(t, v.servedGraph, v.ours, c.class)
		if left != before-1 {
			t.Errorf("%s: got %d units taken, want 1", c.class, before-left)
		}
		if taken := cost - *budgetRemaining(t, v.servedGraph, v.ours, account.Query); taken < c.weight {
			t.Errorf("%s: got a cost of %d, want at least %d", c.class, taken, c.weight)
		}
		if _, err := v.access.Gate.Quotas.Take(t.Context(), caller, c.class, left); err != nil {
			t.Fatal(err)
		}
		if e := v.refused(c.send(), domain.CodeRateLimited); e.RetryAfterSeconds == nil {
			t.Errorf("%s: got %+v, want a delay", c.class, e)
		}
	}
	v.job(id)
}
