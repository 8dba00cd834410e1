package rest

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"astrolabe/domain"
	"astrolabe/domain/account"
	"astrolabe/domain/explorer"
	"astrolabe/domain/verify"
	"astrolabe/repo/accounts"
	"astrolabe/repo/repositories"
	"astrolabe/repo/repotest"
	"astrolabe/rest/verification"
	"astrolabe/starknet"
)

const jobsRoute = "/v1/SN_MAIN/verification-jobs"

// verifier is a service whose database has a declared class and a builder that is
// ready, with a clock that the test moves.
type verifier struct {
	*service
	conn  *pgx.Conn
	class starknet.Felt
	clock atomic.Pointer[time.Time]
	other string // a key of another workspace
}

// noon is when every test of verification begins.
var noon = time.Date(2026, 11, 16, 12, 0, 0, 0, time.UTC)

// newVerifier starts a service that serves chains, by default mainnet.
func newVerifier(t *testing.T, chains ...domain.Chain) *verifier {
	t.Helper()
	v := new(verifier)
	v.clock.Store(&noon)
	db, conn := repotest.Connect(t, repotest.Followed)
	v.conn = conn
	v.service = newServiceOver(t, db, time.Now, func(o *Options) {
		if len(chains) > 0 {
			o.Chains = chains
		}
		o.Services = explorer.New(explorer.Options{Stores: repositories.Explorer(db), Cursors: o.Cursors, Now: func() time.Time { return *v.clock.Load() }})
	})
	if err := conn.QueryRow(t.Context(), "SELECT k.hash FROM classes k JOIN declarations d ON d.chain = k.chain AND d.class = k.id ORDER BY k.hash LIMIT 1").Scan(&v.class); err != nil {
		t.Fatal(err)
	}
	v.builderSays(true, "")
	other, err := account.NewWorkspaces(accounts.NewWorkspaces(db), time.Now).Ensure(t.Context(), "another", account.Operator("test"))
	if err != nil {
		t.Fatal(err)
	}
	issued, err := v.access.Gate.Keys.Issue(t.Context(), other.ID, account.IssueRequest{Environment: account.Live, Permissions: []account.Permission{account.Read}}, account.Operator("test"))
	if err != nil {
		t.Fatal(err)
	}
	v.other = issued.Text.Reveal()
	return v
}

// execute runs a statement.
func (v *verifier) execute(statement string, args ...any) {
	v.t.Helper()
	if _, err := v.conn.Exec(v.t.Context(), statement, args...); err != nil {
		v.t.Fatalf("%s: got %v, want it executed", statement, err)
	}
}

func (v *verifier) count(from string) (n int) {
	v.t.Helper()
	if err := v.conn.QueryRow(v.t.Context(), "SELECT count(*) FROM "+from).Scan(&n); err != nil {
		v.t.Fatal(err)
	}
	return n
}

// builderSays sets what the only builder said last. A controller is always ready.
func (v *verifier) builderSays(ready bool, reasonCode string) {
	v.t.Helper()
	v.execute("DELETE FROM verification_builders")
	v.execute(`INSERT INTO verification_builders (id, toolchain_name, toolchain_version, toolchain_digest, ready, reason_code, reason, seen_at)
		VALUES ('one', 'scarb', '2.12.0', 'sha256:00', $1, $2, 'It says so.', $3)`, ready, reasonCode, *v.clock.Load())
	v.execute(`INSERT INTO verification_controllers (id, key_id, environment, toolchain_name, toolchain_version, toolchain_digest, ready, reason_code, reason, seen_at)
		VALUES ('one', 'ed25519:00', 'demo', 'scarb', '2.12.0', 'sha256:00', true, '', '', '2100-01-01') ON CONFLICT DO NOTHING`)
}

// sourceArchive is what the packages of these tests describe.
var sourceArchive = bytes.Repeat([]byte("not really a gzip member "), 20_000)

func digest(content []byte) string {
	sum := sha256.Sum256(content)
	return "sha256:" + hex.EncodeToString(sum[:])
}

// packaged returns a package of the class, with changed fields: an absent value
// removes one.
func (v *verifier) packaged(changes map[string]any) string {
	fields := map[string]any{
		"selectedClassHash": v.class.String(), "uploadDigest": digest(sourceArchive), "uploadByteLength": len(sourceArchive),
		"toolchainPolicyId": "service-exact-v25", "packageName": "hello", "buildProfile": "release",
		"targetName": "hello", "targetKind": "starknet-contract", "artifactId": "e1p6jp2ak1nmk", "modulePath": "hello::Hello",
		"sourceVisibility": "private", "retentionPolicyId": "private-24h-v1",
	}
	for name, value := range changes {
		if fields[name] = value; value == absent {
			delete(fields, name)
		}
	}
	text, err := json.Marshal(fields)
	if err != nil {
		v.t.Fatal(err)
	}
	return string(text)
}

// absent is the value of a field that a package lacks.
var absent any = struct{}{}

// post sends a body with a key that may do everything.
func (v *verifier) post(path, body string, header ...string) answer {
	v.t.Helper()
	return v.requestWith(http.MethodPost, path, []byte(body), append(header, "Content-Type", "application/json", "X-Service-Api-Key", v.access.Key)...)
}

// requestWith sends a body with these headers only.
func (v *verifier) requestWith(method, path string, body []byte, header ...string) answer {
	v.t.Helper()
	request, err := http.NewRequestWithContext(v.t.Context(), method, v.url+path, bytes.NewReader(body))
	if err != nil {
		v.t.Fatal(err)
	}
	return v.send(request, header...)
}

// create sends a package with an idempotency key.
func (v *verifier) create(key, body string) answer {
	v.t.Helper()
	return v.post(jobsRoute, body, "Idempotency-Key", key)
}

// created returns the path of a new job.
func (v *verifier) created(key string) string {
	v.t.Helper()
	a := v.create(key, v.packaged(nil))
	var body verification.CreatedBody
	if err := json.Unmarshal([]byte(a.body), &body); err != nil || a.StatusCode != http.StatusCreated {
		v.t.Fatalf("got %d %s (%v), want 201", a.StatusCode, a.body, err)
	}
	return jobsRoute + "/" + body.JobID
}

// upload sends the source of a job.
func (v *verifier) upload(job string, content []byte) answer {
	v.t.Helper()
	return v.requestWith(http.MethodPut, job+"/source", content, "Content-Type", "application/gzip", "X-Service-Api-Key", v.access.Key)
}

// job reads a job by its path.
func (v *verifier) job(path string) verification.JobBody {
	v.t.Helper()
	return read[verification.JobBody](v.service, path)
}

// anyMove lets jobs move from every state to every other one, without a history.
func (v *verifier) anyMove() {
	v.t.Helper()
	v.execute("ALTER TABLE verification_jobs DISABLE TRIGGER verification_job_moves")
}

// ends gives a job a state that it never leaves, and returns it.
func (v *verifier) ends(path string, state verify.State) verification.JobBody {
	v.t.Helper()
	v.anyMove()
	for i, s := range verify.States {
		if s == state {
			v.execute("UPDATE verification_jobs SET state = $2, finished_at = $3 WHERE id = $1", strings.TrimPrefix(path, jobsRoute+"/"), i, noon)
		}
	}
	return v.job(path)
}
