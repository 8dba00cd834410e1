package verify_test

import (
	"bytes"
	"crypto/ed25519"
	"encoding/json"
	"strings"
	"testing"

	"astrolabe/domain/verify"
	"astrolabe/domain/verify/receipt"
	"astrolabe/domain/verify/receipt/receipttest"
	"astrolabe/domain/verify/signing"
	"astrolabe/repo"
	"astrolabe/repo/model"
	"astrolabe/repo/repotest"
	store "astrolabe/repo/verify"
	"astrolabe/sim/classes"
	"astrolabe/starknet"
)

// control is a database with jobs to compare, and controllers that connect to it
// with their own role.
type control struct {
	*intake
	role     *repo.DB       // connected as the controller's role
	built    *classes.Class // one that a final block declares
	document []byte         // its JSON
}

func newControl(t *testing.T) *control {
	t.Helper()
	c := &control{intake: newIntake(t, repotest.Followed)}
	c.role = repotest.As(t, c.conn, repo.ControllerRole)
	all, err := classes.Load()
	if err != nil {
		t.Fatal(err)
	}
	for _, class := range all {
		if !class.CompiledHash.IsZero() && c.count("declarations d JOIN classes k ON k.chain = d.chain AND k.id = d.class WHERE k.hash = $1 AND d.tx IS NOT NULL AND d.block <= $2",
			class.Hash, repotest.FollowedFinalized) == 1 {
			c.built, c.document, c.class = class, class.Document, class.Hash
		}
	}
	if c.built == nil {
		t.Fatal("got no Sierra class that a transaction of a final block declares, want one")
	}
	return c
}

// keyToolchain is the toolchain of the keys and builds of these tests.
var keyToolchain = verify.Toolchain{Name: "cairo-wasm", Version: "2.8.2", Digest: "sha256:" + strings.Repeat("5a", 32)}

// signer is the key of a fixed seed.
func signer(seed byte) signing.Key {
	return signing.New(ed25519.NewKeyFromSeed(bytes.Repeat([]byte{seed}, ed25519.SeedSize)))
}

// controller returns a controller with a demo key, because the chain is simulated.
func (c *control) controller(seed byte) *verify.Controller {
	return verify.NewController(store.NewAdmissions(c.role), signer(seed), receipt.Demo, keyToolchain, c.clock.now)
}

// registered is controller with its key in the trust root.
func (c *control) registered(seed byte) *verify.Controller {
	c.Helper()
	controller := c.controller(seed)
	if err := controller.Check(c.Context()); err != nil {
		c.Fatal(err)
	}
	return controller
}

// comparing adds a job of a workspace of its own whose build delivered a class.
func (c *control) comparing(workspace string, class []byte) string {
	c.Helper()
	id := c.building(workspace, class)
	c.moved(id, verify.Comparing)
	return id
}

// building adds a job like comparing, whose builder has not moved it on yet.
func (c *control) building(workspace string, class []byte) string {
	c.Helper()
	id := "vrf_" + strings.Repeat("a", 26-len(workspace)) + workspace
	build, err := json.Marshal(verify.Build{Toolchain: keyToolchain, Profile: verify.BuildProfile})
	if err != nil {
		c.Fatal(err)
	}
	p, err := verify.ParsePackage(described(c.built.Hash))
	if err != nil {
		c.Fatal(err)
	}
	c.do(`INSERT INTO workspaces (id, name, plan, created_at) VALUES ($1, $1, 'standard', now()) ON CONFLICT DO NOTHING`, workspace)
	c.do(`INSERT INTO verification_jobs (id, chain, workspace, idempotency_key, package, state, created_at, updated_at, upload_expires_at, source_committed_at, source_expires_at, build)
		VALUES ($1, 1, $2, $1, $3, 0, $4, $4, $4, $4, $4::timestamptz + interval '1 day', $5)`, id, workspace, string(p.Canonical()), c.clock.now(), string(build))
	c.moved(id, verify.Validating, verify.Queued, verify.Building)
	c.do("INSERT INTO verification_candidates (job, class, built_at) VALUES ($1, $2, $3)", id, class, c.clock.now())
	return id
}

// moved moves a job through states, without a builder.
func (c *control) moved(id string, states ...verify.State) {
	c.Helper()
	for _, state := range states {
		stored, _ := model.VerificationState(state).Value()
		c.do("UPDATE verification_jobs SET state = $2 WHERE id = $1", id, stored)
	}
}

// compares lets a controller decide on a job, and returns the job.
func (c *control) compares(controller *verify.Controller, id string) *verify.Job {
	c.Helper()
	done, err := controller.Compare(c.Context(), id)
	if err != nil || !done {
		c.Fatalf("got decided %t and %v, want the job decided", done, err)
	}
	return c.job(id)
}

// job returns a job of any workspace.
func (c *control) job(id string) *verify.Job {
	c.Helper()
	job, err := store.NewJobs(c.db).Job(c.Context(), id)
	if err != nil || job == nil {
		c.Fatalf("got %v and %v, want the job %s", job, err, id)
	}
	return job
}

// fails expects a job that failed or mismatched for a reason, and that nothing of it
// was published.
func (c *control) fails(what string, job *verify.Job, state verify.State, code verify.FailureCode) {
	c.Helper()
	if job.State != state || job.Failure == nil || job.Failure.Code != code || job.ReceiptID != nil || job.FinishedAt == nil {
		c.Errorf("%s: got %s, %v and the receipt %v, want %s with %s and no receipt", what, job.State, job.Failure, job.ReceiptID, state, code)
	}
	if job.History[len(job.History)-1].State != state {
		c.Errorf("%s: got the history %v, want it to end with %s", what, job.History, state)
	}
	if n := c.count("verification_receipts WHERE job = $1", job.ID) + c.count("verification_candidates WHERE job = $1", job.ID); n != 0 {
		c.Errorf("%s: got %d rows of receipts and candidates, want none", what, n)
	}
}

// checksReceipts verifies every stored receipt with both verifiers, and that
// receipts, public records, outbox and succeeded jobs are the same, without gaps.
func (c *control) checksReceipts() (bodies []string) {
	c.Helper()
	root, err := verify.NewKeys(store.NewKeys(c.db), c.clock.now).TrustRoot(c.Context())
	if err != nil {
		c.Fatal(err)
	}
	rootText, err := json.Marshal(root)
	if err != nil {
		c.Fatal(err)
	}
	rows, err := c.conn.Query(c.Context(), "SELECT receipt_id, job, class, digest, body FROM verification_receipts ORDER BY receipt_id")
	if err != nil {
		c.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		var number int64
		var job, digest, body string
		var class starknet.Felt
		if err := rows.Scan(&number, &job, &class, &digest, &body); err != nil {
			c.Fatal(err)
		}
		bodies = append(bodies, body)
		verified, err := receipt.Verify([]byte(body), rootText, receipt.Rules{AllowDemo: true})
		if err != nil {
			c.Fatalf("receipt %d: got %v, want it valid:\n%s", number, err, body)
		}
		if reason := receipttest.Verify([]byte(body), rootText, true); reason != "" {
			c.Errorf("receipt %d: got %s of the second verifier, want it valid:\n%s", number, reason, body)
		}
		if e := verified.Receipt.Evidence; number != int64(len(bodies)) || int64(e.ReceiptID) != number || e.JobID != job || e.ClassHash != class.String() || verified.ReceiptDigest != digest {
			c.Errorf("got the receipt %d of %s with digest %s, want number %d and the evidence of\n%s", number, job, digest, len(bodies), body)
		}
	}
	if err := rows.Err(); err != nil {
		c.Fatal(err)
	}
	for _, same := range []string{
		"verification_jobs WHERE state = 5 AND receipt_id IS NOT NULL",
		"verification_jobs WHERE state = 5 OR receipt_id IS NOT NULL",
		"verification_jobs j JOIN verification_receipts r ON r.job = j.id AND r.receipt_id = j.receipt_id AND j.state = 5",
		"verification_history WHERE state = 5",
		"verification_receipts r JOIN verifications v USING (chain, class, receipt_id, issued_at, key_id) WHERE v.receipt_digest = r.digest",
		"verifications", "verification_outbox",
	} {
		if n := c.count(same); n != len(bodies) {
			c.Errorf("got %d rows of %s, want one for each of %d receipts", n, same, len(bodies))
		}
	}
	return bodies
}
