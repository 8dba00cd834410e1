package graph

import (
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"astrolabe/domain"
	"astrolabe/domain/verify"
	"astrolabe/domain/verify/receipt"
	"astrolabe/rest"
	"astrolabe/telemetry"
)

// fromREST returns what a route of REST serves over the same services.
func (v *verifying) fromREST(path string, header map[string]string) string {
	v.Helper()
	handler := rest.Handler(rest.Options{
		Logger: slog.New(slog.DiscardHandler), Metrics: telemetry.NewMetrics(), Health: new(telemetry.Health), Version: v.Version,
		Chains: []domain.Chain{domain.Mainnet}, Services: v.Services, Gate: v.access.Gate, Usage: v.Usage,
	})
	r, w := httptest.NewRequest(http.MethodGet, path, nil), httptest.NewRecorder()
	for name, value := range header {
		r.Header.Set(name, value)
	}
	if handler.ServeHTTP(w, r); w.Code != http.StatusOK {
		v.Fatalf("%s: got %d %s, want 200", path, w.Code, w.Body)
	}
	return w.Body.String()
}

// succeeds ends a job with a receipt.
func (v *verifying) succeeds(id string, receipt int) {
	v.Helper()
	v.admits(id, receipt)
	v.execute(v.T, "ALTER TABLE verification_jobs DISABLE TRIGGER verification_job_moves") // it was not built
	v.execute(v.T, fmt.Sprintf("UPDATE verification_jobs SET state = 5, finished_at = now(), receipt_id = %d WHERE id = '%s'", receipt, id))
}

// TestTextsOfReceiptAndTrustRootAreThoseOfREST compares them byte for byte: clients
// compare their digests.
func TestTextsOfReceiptAndTrustRootAreThoseOfREST(t *testing.T) {
	t.Parallel()
	v := serveVerification(t)
	id := v.creates("first")
	v.succeeds(id, 7)
	job := v.job(id)
	if want := v.fromREST(job["receiptUrl"].(string), v.ours); job["receipt"] != want {
		t.Errorf("receipt: got %q, want %q", job["receipt"], want)
	}
	const query = `{ verificationTrustRoot { schemaVersion text keys { keyId environment toolchain { name version digest } notBefore notAfter revokedAt } } }`
	type trustRoot struct {
		SchemaVersion, Text string
		Keys                []map[string]any
	}
	root := data[struct{ VerificationTrustRoot trustRoot }](t, v.send(query, map[string]any{}, v.asUser())).VerificationTrustRoot
	if want := v.fromREST("/v1/verification/trust-root", nil); root.Text != want {
		t.Errorf("trust root: got %q, want %q", root.Text, want)
	}
	if parsed, err := receipt.ParseTrustRoot([]byte(root.Text)); err != nil || len(parsed.Keys) != 1 {
		t.Errorf("trust root: got %v and %v, want one key", parsed, err)
	}
	want := []map[string]any{{
		"keyId": "ed25519:0123456789abcdef", "environment": "DEMO", "notBefore": "2026-07-01T12:00:00.5Z", "notAfter": nil, "revokedAt": nil,
		"toolchain": map[string]any{"name": "scarb", "version": "2.12.0", "digest": "sha256:" + strings.Repeat("0a", 32)},
	}}
	if diff := cmp.Diff(want, root.Keys); diff != "" {
		t.Errorf("got other keys (-want +got):\n%s", diff)
	}
}

// TestReceiptsOfAPageAreReadAtOnce counts the statements for one job and for a page of
// jobs, of which one has no receipt.
func TestReceiptsOfAPageAreReadAtOnce(t *testing.T) {
	t.Parallel()
	v := serveVerification(t)
	for n := range verify.MaxPerDay {
		id := v.creates(fmt.Sprint("job", n))
		if n == 0 {
			v.cancel(id, v.ours)
			continue
		}
		v.succeeds(id, n)
	}
	count := func(first int) int {
		t.Helper()
		a := v.send(`query($first: Int) { verificationJobs(chain: SN_MAIN, first: $first) { nodes { jobId receiptId receipt } } }`, map[string]any{"first": first}, v.ours)
		for _, node := range data[struct {
			VerificationJobs struct {
				Nodes []struct {
					JobID, Receipt string
					ReceiptID      *int
				}
			}
		}](t, a).VerificationJobs.Nodes {
			want := ""
			if node.ReceiptID != nil {
				want = fmt.Sprintf("{\"of\": %q}\n", node.JobID)
			}
			if node.Receipt != want {
				t.Errorf("%s: got the receipt %q, want %q", node.JobID, node.Receipt, want)
			}
		}
		return *v.statements(`query { verificationJobs(chain: SN_MAIN, first: ` + fmt.Sprint(first) + `) { nodes { receipt } } }`)
	}
	if one, all := count(1), count(100); one != all {
		t.Errorf("got %d statements for one job and %d for all, want as many", one, all)
	}
}

// statements returns how many statements a query of our workspace takes.
func (v *verifying) statements(query string) *int {
	v.Helper()
	body := encode(map[string]any{"query": query, "extensions": map[string]any{"statements": true}})
	a := v.post(v.T, string(body), v.ours)
	if a.body.Extensions.Statements == nil {
		v.Fatalf("got %s, want the number of statements", a.text)
	}
	return a.body.Extensions.Statements
}

// TestLogTailIsPricedAtItsBound reads the longest log: it costs no more than was
// assumed, and a job without one gets the difference back.
func TestLogTailIsPricedAtItsBound(t *testing.T) {
	t.Parallel()
	v := serveVerification(t)
	id := v.creates("first")
	const query = `query($chain: ChainId!, $id: String!) { verificationJob(chain: $chain, id: $id) { build { logTail } } }`
	cost := func() (requested, actual int) {
		t.Helper()
		a := v.send(query, map[string]any{"id": id}, v.ours)
		data[any](t, a)
		return a.body.Extensions.Cost.Requested, a.body.Extensions.Cost.Actual
	}
	assumed, without := cost()
	v.execute(t, `UPDATE verification_jobs SET build = jsonb_build_object('LogTail', repeat('x', 16384))`)
	if requested, actual := cost(); requested != assumed || actual != requested || actual-without < 16 {
		t.Errorf("got a cost of %d after a request of %d, and %d without a log; want the whole request, 16 more", actual, requested, without)
	}
}

func TestAvailabilityIsThatOfCapabilities(t *testing.T) {
	t.Parallel()
	v := serveVerification(t)
	const query = `{ verificationAvailability { available reasonCode reason environment toolchain { name version digest } measures { name by } } }`
	read := func() map[string]any {
		t.Helper()
		return data[struct{ VerificationAvailability map[string]any }](t, v.send(query, map[string]any{}, v.asUser())).VerificationAvailability
	}
	v.execute(t, `UPDATE verification_builders SET measures = '[{"name": "network", "by": "namespace"}]'`)
	want := map[string]any{
		"available": true, "reasonCode": nil, "reason": nil, "environment": "DEMO", "measures": []any{map[string]any{"name": "network", "by": "namespace"}},
		"toolchain": map[string]any{"name": "scarb", "version": "2.12.0", "digest": "sha256:00"},
	}
	if diff := cmp.Diff(want, read()); diff != "" {
		t.Errorf("ready: got another answer (-want +got):\n%s", diff)
	}
	v.builderSays(false, "no_sandbox", "bubblewrap is missing.")
	want["available"], want["reasonCode"], want["reason"], want["measures"] = false, "no_sandbox", "bubblewrap is missing.", []any{}
	if diff := cmp.Diff(want, read()); diff != "" {
		t.Errorf("not ready: got another answer (-want +got):\n%s", diff)
	}
}

// TestVerifiedClassHasItsRecordAndNamesItsEvents admits the record of a class that
// decodes an event.
func TestVerifiedClassHasItsRecordAndNamesItsEvents(t *testing.T) {
	t.Parallel()
	g := explore(t)
	type record map[string]any
	type contract struct {
		ClassHash    *string
		Verification record
		Class        *struct {
			ClassHash    string
			Verification record
		}
	}
	type emitted struct {
		TxHash          string
		LogIndex        int
		EventNameSource string
		Contract        *contract
	}
	const recordFields = `verification { classHash verification receiptId issuedAt keyId receiptDigest }`
	events := func() (all []emitted) {
		t.Helper()
		found := answer[struct {
			Blocks struct {
				Nodes []struct{ Events struct{ Nodes []emitted } }
			}
		}](t, g, `{blocks(chain:SN_MAIN first:10){nodes{events(first:20){nodes{txHash logIndex eventNameSource contract{classHash `+recordFields+` class{classHash `+recordFields+`}}}}}}}`, nil)
		for _, block := range found.Blocks.Nodes {
			all = append(all, block.Events.Nodes...)
		}
		return all
	}
	class := ""
	before := events()
	for _, e := range before {
		if e.EventNameSource == "CLASS_ABI" && e.Contract != nil && e.Contract.Class != nil {
			class = e.Contract.Class.ClassHash
		}
		if e.EventNameSource == "VERIFIED_ABI" || e.Contract != nil && e.Contract.Verification != nil {
			t.Fatalf("got %+v before a record, want none", e)
		}
	}
	if class == "" {
		t.Fatal("got no event that its class decodes, want one")
	}
	g.execute(t, fmt.Sprintf(`INSERT INTO verifications (chain, class, receipt_id, issued_at, key_id, receipt_digest)
		SELECT chain, hash, 7, '2026-07-01T12:00:00Z', 'key-1', 'sha256:00' FROM classes WHERE chain = 1 AND ltrim(encode(hash, 'hex'), '0') = '%s'`, strings.TrimPrefix(class, "0x")))
	want := record{"classHash": class, "verification": verify.Exact, "receiptId": "7", "issuedAt": "2026-07-01T12:00:00Z", "keyId": "key-1", "receiptDigest": "sha256:00"}
	seen := 0
	for i, e := range events() {
		if e.Contract == nil || e.Contract.Class == nil || e.Contract.Class.ClassHash != class {
			continue
		}
		seen++
		if diff := cmp.Diff([]record{want, want}, []record{e.Contract.Verification, e.Contract.Class.Verification}); diff != "" {
			t.Errorf("got other records of contract and class (-want +got):\n%s", diff)
		}
		if before[i].EventNameSource == "CLASS_ABI" && e.EventNameSource != "VERIFIED_ABI" {
			t.Errorf("event %d of %s: got the source %s, want VERIFIED_ABI", e.LogIndex, e.TxHash, e.EventNameSource)
		}
	}
	if seen == 0 {
		t.Errorf("got no event of class %s, want some", class)
	}
}
