package rest

import (
	"encoding/json"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"astrolabe/domain"
	"astrolabe/domain/verify"
	"astrolabe/rest/verification"
)

// TestIdenticalCreatesMakeOneJob spells the same package differently, at the same
// time.
func TestIdenticalCreatesMakeOneJob(t *testing.T) {
	t.Parallel()
	v := newVerifier(t)
	spellings := []map[string]any{
		nil,
		{"uploadByteLength": json.RawMessage("500000.0")},
		{"uploadByteLength": json.RawMessage("5e5")},
		{"selectedClassHash": "0x000" + strings.ToUpper(v.class.String()[2:])},
	}
	answers := make([]answer, 16)
	var sending sync.WaitGroup
	for i := range answers {
		sending.Go(func() { answers[i] = v.create("key:1.a_B-c", v.packaged(spellings[i%len(spellings)])) })
	}
	sending.Wait()
	statuses := map[int]int{}
	for _, a := range answers {
		statuses[a.StatusCode]++
		if a.body != answers[0].body {
			t.Errorf("got %s, want the same job as %s", a.body, answers[0].body)
		}
		if got := a.Header.Get("Cache-Control"); got != "private, no-store" {
			t.Errorf("got Cache-Control %q, want private, no-store", got)
		}
	}
	if diff := cmp.Diff(map[int]int{http.StatusCreated: 1, http.StatusOK: len(answers) - 1}, statuses); diff != "" {
		t.Errorf("statuses (-want +got):\n%s", diff)
	}
	var got verification.CreatedBody
	if err := json.Unmarshal([]byte(answers[0].body), &got); err != nil {
		t.Fatal(err)
	}
	want := verification.CreatedBody{
		JobID: got.JobID, ChainID: domain.Mainnet, State: verify.AwaitingUpload, IdempotencyKey: "key:1.a_B-c",
		UploadExpiresAt: noon.Add(30 * time.Minute), PollAfterSeconds: 5,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("created (-want +got):\n%s", diff)
	}
	requireFailure(t, v.create("key:1.a_B-c", v.packaged(map[string]any{"packageName": "other"})), 409, domain.CodeIdempotencyKeyReused)
	if n := v.count("verification_jobs"); n != 1 {
		t.Errorf("got %d jobs, want 1", n)
	}
}

func TestIdempotencyKeyIsRequiredOnceAndWellFormed(t *testing.T) {
	t.Parallel()
	v := newVerifier(t)
	for name, c := range map[string]struct {
		header []string
		code   domain.Code
	}{
		"missing":        {nil, domain.CodeIdempotencyKeyRequired},
		"empty":          {[]string{"Idempotency-Key", ""}, domain.CodeInvalidIdempotencyKey},
		"repeated":       {[]string{"Idempotency-Key", "a", "Idempotency-Key", "a"}, domain.CodeInvalidIdempotencyKey},
		"quoted":         {[]string{"Idempotency-Key", `"a"`}, domain.CodeInvalidIdempotencyKey},
		"a space inside": {[]string{"Idempotency-Key", "a b"}, domain.CodeInvalidIdempotencyKey},
		"two in one":     {[]string{"Idempotency-Key", "a,b"}, domain.CodeInvalidIdempotencyKey},
		"not ASCII":      {[]string{"Idempotency-Key", "é"}, domain.CodeInvalidIdempotencyKey},
		"too long":       {[]string{"Idempotency-Key", strings.Repeat("a", 129)}, domain.CodeInvalidIdempotencyKey},
	} {
		e := requireFailure(t, v.post(jobsRoute, v.packaged(nil), c.header...), 400, c.code)
		if !strings.Contains(e.Message, "Idempotency-Key") {
			t.Errorf("%s: got %q, want the header named", name, e.Message)
		}
	}
	if n := v.count("verification_jobs"); n != 0 {
		t.Fatalf("got %d jobs, want none", n)
	}
	// Names of headers are the same in any case, values are not.
	if a := v.post(jobsRoute, v.packaged(nil), "idempotency-key", strings.Repeat("K", 128)); a.StatusCode != http.StatusCreated {
		t.Errorf("a name in lower case: got %d %s, want 201", a.StatusCode, a.body)
	}
	requireFailure(t, v.create(strings.Repeat("k", 128), v.packaged(nil)), 429, domain.CodeVerificationActiveJob)
}

func TestFaultOfAPackageNamesItsField(t *testing.T) {
	t.Parallel()
	v := newVerifier(t)
	for field, values := range map[string][]any{
		"selectedClassHash": {absent, nil, "", "0xg", 7, "0x800000000000011000000000000000000000000000000000000000000000001"},
		"uploadDigest":      {absent, "sha256:00", strings.ToUpper(digest(sourceArchive))},
		"uploadByteLength":  {absent, "500000", 1.5, -1, 0, verify.MaxUpload + 1, json.RawMessage("1e400")},
		"toolchainPolicyId": {absent, "", false},
		"packageName":       {absent, "", "../hello", strings.Repeat("a", 129)},
		"buildProfile":      {absent, "dev"},
		"targetName":        {absent, "a b"},
		"targetKind":        {absent, "lib"},
		"artifactId":        {absent, ""},
		"modulePath":        {absent, "hello/Hello"},
		"sourceVisibility":  {absent, "secret"},
		"retentionPolicyId": {absent, "private-1y-v1", "public-30d-v1"},
		"chainId":           {"SN_MAIN"},
		"PackageName":       {"hello"},
	} {
		for _, value := range values {
			e := requireFailure(t, v.create("k", v.packaged(map[string]any{field: value})), 422, domain.CodeInvalidVerificationPackage)
			if !strings.Contains(e.Message, field) {
				t.Errorf("%s %v: got %q, want the field named", field, value, e.Message)
			}
		}
	}
	requireFailure(t, v.create("k", `[]`), 422, domain.CodeInvalidVerificationPackage)
	requireFailure(t, v.create("k", `{"packageName":"a","packageName":"a"}`), 422, domain.CodeInvalidVerificationPackage)
	for _, text := range []string{"", "{", "hello", v.packaged(nil) + "{}"} {
		requireFailure(t, v.create("k", text), 400, domain.CodeInvalidRequest)
	}
	requireFailure(t, v.create("k", strings.Repeat(" ", 16<<10)+v.packaged(nil)), 413, domain.CodePayloadTooLarge)
	for _, header := range [][]string{{"Content-Type", "text/plain"}, {}, {"Content-Type", "application/json", "Content-Encoding", "gzip"}} {
		header = append(header, "Idempotency-Key", "k", "X-Service-Api-Key", v.access.Key)
		requireFailure(t, v.requestWith(http.MethodPost, jobsRoute, []byte(v.packaged(nil)), header...), 415, domain.CodeUnsupportedMediaType)
	}
	if n := v.count("verification_jobs"); n != 0 {
		t.Errorf("got %d jobs, want none", n)
	}
}

func TestCreateNeedsABuilderAndADeclaration(t *testing.T) {
	t.Parallel()
	v := newVerifier(t)
	requireFailure(t, v.create("k", v.packaged(map[string]any{"toolchainPolicyId": "service-exact-v26"})), 422, domain.CodeUnsupportedPolicy)
	e := requireFailure(t, v.create("k", v.packaged(map[string]any{"selectedClassHash": "0x123"})), 422, domain.CodeDeclarationUnavailable)
	if !strings.Contains(e.Message, "selectedClassHash") || !strings.Contains(e.Message, "undeclared") {
		t.Errorf("got %q, want the field and that the class is undeclared", e.Message)
	}
	v.builderSays(false, "no_sandbox")
	a := v.create("k", v.packaged(nil))
	e = requireFailure(t, a, 503, domain.CodeVerificationUnavailable)
	if !strings.Contains(e.Message, "no_sandbox") || a.Header.Get("Retry-After") != "60" {
		t.Errorf("got %q and Retry-After %q, want the reason and 60", e.Message, a.Header.Get("Retry-After"))
	}
	if n := v.count("verification_creates"); n != 0 {
		t.Errorf("got %d counted creates, want none for refusals", n)
	}
}

// TestOtherChainsAreRefusedAtSubmission asks deployments with and without the
// chain.
func TestOtherChainsAreRefusedAtSubmission(t *testing.T) {
	t.Parallel()
	const sepolia = "/v1/SN_SEPOLIA/verification-jobs"
	for _, chains := range [][]domain.Chain{{domain.Mainnet}, {domain.Mainnet, domain.Sepolia}} {
		v := newVerifier(t, chains...)
		requireFailure(t, v.post(sepolia, v.packaged(nil), "Idempotency-Key", "k"), 422, domain.CodeUnsupportedVerificationChain)
		requireFailure(t, v.post("/v1/SN_OTHER/verification-jobs", v.packaged(nil), "Idempotency-Key", "k"), 400, domain.CodeInvalidRequest)
	}
	v := newVerifier(t, domain.Sepolia)
	requireFailure(t, v.create("k", v.packaged(nil)), 404, domain.CodeUnsupportedChain)
}

func TestCreateIsRefusedWithinItsLimits(t *testing.T) {
	t.Parallel()
	v := newVerifier(t)
	refused := func(key string, status int, code domain.Code, after string) {
		t.Helper()
		a := v.create(key, v.packaged(nil))
		requireFailure(t, a, status, code)
		if got := a.Header.Get("Retry-After"); got != after {
			t.Errorf("%s: got Retry-After %q, want %s", code, got, after)
		}
	}
	first := v.created("1")
	refused("2", 429, domain.CodeVerificationActiveJob, "60")
	v.ends(first, verify.Cancelled)
	for _, key := range []string{"2", "3", "4", "5"} {
		v.ends(v.created(key), verify.Cancelled)
	}
	refused("6", 429, domain.CodeVerificationDailyQuota, "43200")
	if a := v.create("5", v.packaged(nil)); a.StatusCode != http.StatusOK {
		t.Errorf("an identical retry: got %d %s, want 200 whatever the limits are", a.StatusCode, a.body)
	}
	midnight := noon.Add(12 * time.Hour)
	v.clock.Store(&midnight)
	v.builderSays(true, "")
	v.execute("INSERT INTO workspaces (id, name, plan, created_at) SELECT 'w' || n, 'w' || n, 'standard', now() FROM generate_series(1, 64) n")
	v.execute(`INSERT INTO verification_jobs (id, chain, workspace, idempotency_key, package, state, created_at, updated_at, upload_expires_at)
		SELECT 'w' || n, 1, 'w' || n, 'k', '{}', 0, now(), now(), now() FROM generate_series(1, 64) n`)
	refused("6", 503, domain.CodeVerificationQueueFull, "60")
	v.execute("UPDATE verification_jobs SET state = 8, finished_at = now() WHERE id = 'w64'")
	v.created("6")
}

func TestCapabilitiesTellWhetherContractsCanBeVerified(t *testing.T) {
	t.Parallel()
	v := newVerifier(t)
	limits := verification.LimitsBody{MaxUploadBytes: 10 << 20, UploadWindowSeconds: 1800, ActiveJobs: 1, CreatesPerUTCDay: 5, QueuedJobs: 64}
	scarb := &verification.ToolchainBody{Name: "scarb", Version: "2.12.0", Digest: "sha256:00"}
	expect := func(want verification.CapabilityBody) {
		t.Helper()
		got := decodeBody[capabilitiesBody](t, v.askWith(http.MethodGet, "/v1/meta/capabilities")).Verification
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("verification (-want +got):\n%s", diff)
		}
	}
	none := []verify.Measure{}
	expect(verification.CapabilityBody{Available: true, Toolchain: scarb, Environment: new("demo"), Measures: none, Policy: "service-exact-v25", Limits: limits})
	v.execute(`UPDATE verification_builders SET measures = '[{"name": "memory", "by": "cgroup"}]'`)
	expect(verification.CapabilityBody{Available: true, Toolchain: scarb, Environment: new("demo"), Measures: []verify.Measure{{Name: "memory", By: "cgroup"}}, Policy: "service-exact-v25", Limits: limits})
	v.builderSays(false, "no_sandbox")
	expect(verification.CapabilityBody{ReasonCode: new("no_sandbox"), Reason: new("It says so."), Toolchain: scarb, Environment: new("demo"), Measures: none, Policy: "service-exact-v25", Limits: limits})
	v.execute("DELETE FROM verification_builders")
	expect(verification.CapabilityBody{ReasonCode: new("no_builder"), Reason: new("No process of this deployment builds contracts."), Measures: none, Policy: "service-exact-v25", Limits: limits})
}
