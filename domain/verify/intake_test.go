package verify_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"astrolabe/domain"
	"astrolabe/domain/account"
	"astrolabe/domain/chain"
	"astrolabe/domain/verify"
	"astrolabe/pg/pgtest"
	"astrolabe/repo"
	"astrolabe/repo/onchain"
	"astrolabe/repo/repotest"
	store "astrolabe/repo/verify"
	"astrolabe/starknet"
)

// intake is the service on a database, with a clock that the test moves.
type intake struct {
	*testing.T
	*verify.Jobs
	db    *repo.DB
	conn  *pgx.Conn
	clock *clock
	class starknet.Felt // one that is declared
}

// clock is a clock that only the test moves.
type clock struct{ at atomic.Pointer[time.Time] }

func (c *clock) now() time.Time          { return *c.at.Load() }
func (c *clock) passes(by time.Duration) { c.at.Store(new(c.now().Add(by))) }

// noon is when every test begins. It is far enough in the past for the database to
// accept the times that builders write.
var noon = time.Date(2026, 1, 16, 12, 0, 0, 0, time.UTC)

// newIntake opens a copy of a template with the workspaces a and b, and a builder
// that is ready.
func newIntake(t *testing.T, template pgtest.Template) *intake {
	t.Helper()
	i := &intake{T: t, clock: new(clock)}
	i.clock.at.Store(new(noon))
	i.db, i.conn = repotest.Connect(t, template)
	i.Jobs = i.restarted()
	i.workspace("a")
	i.workspace("b")
	i.builderSays(true, "", "")
	_ = i.conn.QueryRow(t.Context(), "SELECT k.hash FROM classes k JOIN declarations d ON d.chain = k.chain AND d.class = k.id ORDER BY k.hash LIMIT 1").Scan(&i.class)
	return i
}

// restarted returns the service as another process has it.
func (i *intake) restarted() *verify.Jobs {
	return verify.NewJobs(store.NewJobs(i.db), chain.NewClasses(onchain.NewClasses(i.db)), chain.NewStatuses(onchain.NewHeads(i.db), 0), i.clock.now)
}

func (i *intake) do(statement string, args ...any) {
	i.Helper()
	if _, err := i.conn.Exec(i.Context(), statement, args...); err != nil {
		i.Fatalf("%s: %v", statement, err)
	}
}

func (i *intake) count(from string, args ...any) (n int) {
	i.Helper()
	if err := i.conn.QueryRow(i.Context(), "SELECT count(*) FROM "+from, args...).Scan(&n); err != nil {
		i.Fatalf("%s: %v", from, err)
	}
	return n
}

func (i *intake) workspace(id string) {
	i.Helper()
	i.do("INSERT INTO workspaces (id, name, plan, created_at) VALUES ($1, $1, 'standard', now())", id)
}

// builderSays sets what the only builder last said, now.
func (i *intake) builderSays(ready bool, code, reason string) {
	i.Helper()
	i.do("DELETE FROM verification_builders")
	i.do(`INSERT INTO verification_builders (id, toolchain_name, toolchain_version, toolchain_digest, ready, reason_code, reason, seen_at)
		VALUES ('one', 'scarb', '2.12.0', 'sha256:00', $1, $2, $3, $4)`, ready, code, reason, i.clock.now())
	i.do(`INSERT INTO verification_controllers (id, key_id, environment, toolchain_name, toolchain_version, toolchain_digest, ready, reason_code, reason, seen_at)
		VALUES ('one', 'ed25519:00', 'demo', 'scarb', '2.12.0', 'sha256:00', true, '', '', '2100-01-01') ON CONFLICT DO NOTHING`)
}

// seen lets the builder be seen again after the clock has moved.
func (i *intake) seen() { i.do("UPDATE verification_builders SET seen_at = $1", i.clock.now()) }

// key is a caller with an API key of a workspace.
func key(workspace string) *account.Caller {
	return &account.Caller{Kind: account.ByKey, Workspace: workspace, Permissions: []account.Permission{account.Verify}}
}

// archive is what the packages of these tests describe.
var archive = bytes.Repeat([]byte("not really a gzip member "), 30_000) // three pieces

func digestOf(content []byte) string {
	sum := sha256.Sum256(content)
	return "sha256:" + hex.EncodeToString(sum[:])
}

// described returns a package of a class and archive, with changed fields.
func (i *intake) described(changes ...func(map[string]any)) []byte {
	return described(i.class, changes...)
}

func described(class starknet.Felt, changes ...func(map[string]any)) []byte {
	fields := map[string]any{
		"selectedClassHash": class.String(), "uploadDigest": digestOf(archive), "uploadByteLength": len(archive),
		"toolchainPolicyId": "service-exact-v25", "packageName": "hello", "buildProfile": "release",
		"targetName": "hello", "targetKind": "starknet-contract", "artifactId": "e1p6jp2ak1nmk", "modulePath": "hello::Hello",
		"sourceVisibility": "private", "retentionPolicyId": "private-24h-v1",
	}
	for _, change := range changes {
		change(fields)
	}
	body, err := json.Marshal(fields)
	if err != nil {
		panic(err)
	}
	return body
}

// with changes one field.
func with(field string, value any) func(map[string]any) {
	return func(fields map[string]any) { fields[field] = value }
}

// creates creates a job that must be accepted.
func (i *intake) creates(workspace, idempotencyKey string, changes ...func(map[string]any)) *verify.Job {
	i.Helper()
	job, created, err := i.Create(i.Context(), domain.Mainnet, key(workspace), idempotencyKey, i.described(changes...))
	if err != nil || !created {
		i.Fatalf("create %s in %s: got created %t and %v, want a new job", idempotencyKey, workspace, created, err)
	}
	return job
}

// refuses expects a create to be refused, and returns the error.
func (i *intake) refuses(code domain.Code, workspace, idempotencyKey string, changes ...func(map[string]any)) *domain.Error {
	i.Helper()
	_, _, err := i.Create(i.Context(), domain.Mainnet, key(workspace), idempotencyKey, i.described(changes...))
	return i.coded(err, code)
}

// coded expects an error with a code.
func (i *intake) coded(err error, code domain.Code) *domain.Error {
	i.Helper()
	refused, ok := err.(*domain.Error) //nolint:errorlint // services return it unwrapped
	if !ok || refused.Code != code {
		i.Fatalf("got %v, want %s", err, code)
	}
	return refused
}

// uploads uploads content for a job of workspace a.
func (i *intake) uploads(id string, content []byte) (*verify.Job, bool, error) {
	return i.Upload(i.Context(), domain.Mainnet, "a", id, int64(len(content)), bytes.NewReader(content))
}

// commits uploads the archive, which must be committed.
func (i *intake) commits(id string) *verify.Job {
	i.Helper()
	job, committed, err := i.uploads(id, archive)
	if err != nil || !committed {
		i.Fatalf("got committed %t and %v, want the source committed", committed, err)
	}
	return job
}

// is expects a job of workspace a to have had these states.
func (i *intake) is(id string, states ...verify.State) *verify.Job {
	i.Helper()
	job, err := i.Of(i.Context(), domain.Mainnet, "a", id)
	if err != nil {
		i.Fatal(err)
	}
	var had, want []string
	for _, move := range job.History {
		had = append(had, string(move.State))
	}
	for _, state := range states {
		want = append(want, string(state))
	}
	if strings.Join(had, " ") != strings.Join(want, " ") || string(job.State) != want[len(want)-1] {
		i.Errorf("got the state %s after %v, want the history %v", job.State, had, want)
	}
	return job
}

// moves moves a job on as the later parts of verification do.
func (i *intake) moves(id string, to ...verify.State) {
	i.Helper()
	for _, state := range to {
		change := &verify.Change{At: i.clock.now(), To: state}
		if _, err := store.NewJobs(i.db).ChangeJob(i.Context(), id, func(*verify.Job) *verify.Change { return change }); err != nil {
			i.Fatal(err)
		}
	}
}

// used is a class that an indexed block uses and none declares.
func (i *intake) used() (class starknet.Felt) {
	i.Helper()
	if err := i.conn.QueryRow(i.Context(), `SELECT k.hash FROM classes k WHERE NOT EXISTS
		(SELECT FROM declarations d WHERE d.chain = k.chain AND d.class = k.id) ORDER BY k.hash LIMIT 1`).Scan(&class); err != nil {
		i.Fatal(err)
	}
	return class
}

// jsonNumber is a number in the spelling of the test.
type jsonNumber = json.Number
