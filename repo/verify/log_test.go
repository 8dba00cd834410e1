package verify_test

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"golang.org/x/mod/sumdb/tlog"

	"astrolabe/domain/verify"
	"astrolabe/domain/verify/receipt"
	"astrolabe/domain/verify/transparency"
	"astrolabe/pg/pgtest"
	"astrolabe/repo"
	"astrolabe/repo/repotest"
	store "astrolabe/repo/verify"
)

// logSigner signs the checkpoints of the tests.
func logSigner(seed byte) transparency.Signer {
	private := ed25519.NewKeyFromSeed(bytes.Repeat([]byte{seed}, ed25519.SeedSize))
	return transparency.Signer{Private: private, Key: receipt.Key{
		ID: fmt.Sprintf("key-%d", seed), PublicKey: private.Public().(ed25519.PublicKey), Environment: receipt.Demo, NotBefore: time.Unix(0, 0),
		Toolchain: receipt.Toolchain{Name: "cairo-wasm", Version: "2.8.2", Digest: "sha256:" + strings.Repeat("5a", 32)},
	}}
}

func integration(db *repo.DB, seed byte) transparency.Integration {
	return transparency.Integration{Store: store.NewLog(db), Signer: signing(seed), Now: time.Now}
}

// signing always signs, whatever is registered.
func signing(seed byte) func(context.Context) (transparency.Signer, error) {
	return func(context.Context) (transparency.Signer, error) { return logSigner(seed), nil }
}

// register adds a key without an end.
func register(t testing.TB, conn *pgx.Conn, seed byte) {
	t.Helper()
	key := logSigner(seed).Key
	if _, err := conn.Exec(t.Context(), "INSERT INTO verification_keys VALUES ($1, $2, $3, $4, $5, $6, $7)",
		key.ID, []byte(key.PublicKey), string(key.Environment), key.Toolchain.Name, key.Toolchain.Version, key.Toolchain.Digest, key.NotBefore); err != nil {
		t.Fatal(err)
	}
}

// admit stores receipts with their outbox rows, as the controller does. The log
// reads nothing of them but their digests.
func admit(t testing.TB, conn *pgx.Conn, from, to int) {
	t.Helper()
	_, err := conn.Exec(t.Context(), fmt.Sprintf(`
		ALTER TABLE verification_jobs DISABLE TRIGGER USER;
		INSERT INTO workspaces (id, name, plan, created_at) VALUES ('log', 'log', 'standard', now()) ON CONFLICT DO NOTHING;
		INSERT INTO verification_keys VALUES ('key-1', decode(repeat('01', 32), 'hex'), 'demo', 'cairo-wasm', '2.8.2', 'sha256:00', now()) ON CONFLICT DO NOTHING;
		INSERT INTO verification_jobs (id, chain, workspace, idempotency_key, package, state, created_at, updated_at, upload_expires_at, finished_at)
			SELECT 'vrf_' || lpad(n::text, 26, '0'), 1, 'log', n::text, '{}', 5, now(), now(), now(), now() FROM generate_series(%[1]d, %[2]d) n;
		ALTER TABLE verification_receipts DISABLE TRIGGER USER;
		INSERT INTO verification_receipts
			SELECT n, 'vrf_' || lpad(n::text, 26, '0'), 1, decode(repeat('01', 32), 'hex'), 'key-1', 'sha256:' || lpad(to_hex(n), 64, '0'), now(), '{}' FROM generate_series(%[1]d, %[2]d) n;
		ALTER TABLE verification_receipts ENABLE TRIGGER USER;
		INSERT INTO verification_outbox SELECT n FROM generate_series(%[1]d, %[2]d) n`, from, to))
	if err != nil {
		t.Fatal(err)
	}
}

// expectLog checks that the log has exactly the first receipts, that its hashes
// give the root of its newest checkpoint, and how many receipts wait.
func expectLog(t testing.TB, db *repo.DB, conn *pgx.Conn, size, waiting int64) {
	t.Helper()
	var hashes, outbox int64
	if err := conn.QueryRow(t.Context(), "SELECT (SELECT count(*) FROM verification_log_hashes), (SELECT count(*) FROM verification_outbox)").Scan(&hashes, &outbox); err != nil {
		t.Fatal(err)
	}
	if want := tlog.StoredHashCount(size); hashes != want || outbox != waiting {
		t.Errorf("got %d hashes and %d waiting receipts, want %d and %d", hashes, outbox, want, waiting)
	}
	newest, err := store.NewLog(db).Checkpoint(t.Context(), 0)
	if size == 0 {
		if newest != nil || err != nil {
			t.Errorf("got the checkpoint %v and %v, want none", newest, err)
		}
		return
	}
	if err != nil || newest.Size != size {
		t.Fatalf("got the checkpoint %v and %v, want one of the size %d", newest, err, size)
	}
	digests := make([]string, size)
	for i := range digests {
		digests[i] = fmt.Sprintf("sha256:%064x", i+1)
	}
	if want := rootOf(digests); newest.Root != want {
		t.Errorf("got the root %s, want %s of the receipts 1 to %d", newest.Root, want, size)
	}
}

// rootOf computes a root as RFC 6962 defines it.
func rootOf(digests []string) tlog.Hash {
	if len(digests) == 1 {
		return tlog.RecordHash([]byte(digests[0]))
	}
	left := 1
	for 2*left < len(digests) {
		left *= 2
	}
	return tlog.NodeHash(rootOf(digests[:left]), rootOf(digests[left:]))
}

func TestReceiptsAreAddedToTheLogInBatchesOnce(t *testing.T) {
	t.Parallel()
	db, conn := repotest.Connect(t, repotest.Migrated)
	for i, step := range []struct{ admitted, added int }{{0, 0}, {1, 1}, {0, 0}, {300, 256}, {0, 45 - 1}, {0, 0}} {
		var have int
		if err := conn.QueryRow(t.Context(), "SELECT count(*) FROM verification_receipts").Scan(&have); err != nil {
			t.Fatal(err)
		}
		if step.admitted > 0 {
			admit(t, conn, have+1, have+step.admitted)
		}
		if added, err := integration(db, 1).Step(t.Context()); err != nil || added != step.added {
			t.Errorf("step %d: got %d added and %v, want %d", i, added, err, step.added)
		}
	}
	expectLog(t, db, conn, 301, 0)
}

// Several processes that integrate at once under the role of the controller add
// every receipt once.
func TestIntegrationsOfTwoProcessesDoNotOverlap(t *testing.T) {
	t.Parallel()
	url := pgtest.Database(t, repotest.Migrated)
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close(t.Context()) })
	var dbs [2]*repo.DB
	for i := range dbs {
		as := url + "&role=" + repo.ControllerRole
		if !strings.Contains(url, "?") {
			as = url + "?role=" + repo.ControllerRole
		}
		if dbs[i], err = repo.Open(t.Context(), repo.Options{URL: as}); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(dbs[i].Close)
	}
	const each, rounds = 7, 12
	for round := range rounds {
		admit(t, conn, round*each+1, (round+1)*each)
		var wait sync.WaitGroup
		added := make([]int, 4)
		for i := range added {
			wait.Go(func() {
				n, err := integration(dbs[i%2], 1).Step(t.Context())
				if err != nil {
					t.Error(err)
				}
				added[i] = n
			})
		}
		wait.Wait()
		if total := added[0] + added[1] + added[2] + added[3]; total != each {
			t.Errorf("round %d: got %v added, want %d by one of them", round, added, each)
		}
	}
	expectLog(t, dbs[0], conn, each*rounds, 0)
}

// The process that TestAKilledIntegrationLeavesNothing kills.
func TestIntegrationOfAnotherProcess(t *testing.T) {
	url := os.Getenv("ASTROLABE_LOG_DATABASE")
	if url == "" {
		t.Skip("TestAKilledIntegrationLeavesNothing starts it")
	}
	db, err := repo.Open(t.Context(), repo.Options{URL: url})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	log := killingStore{store.NewLog(db), os.Getenv("ASTROLABE_LOG_KILL")}
	_, err = transparency.Integration{Store: log, Signer: signing(1), Now: time.Now}.Step(t.Context())
	t.Errorf("got %v, want the process killed", err)
}

// killingStore ends the process as kill -9 does, inside of the transaction or after it.
type killingStore struct {
	store.Log
	when string
}

// Grow implements transparency.GrowingStore.
func (k killingStore) Grow(ctx context.Context, most int, decide transparency.Decide) (*transparency.Growth, error) {
	growth, err := k.Log.Grow(ctx, most, func(newest *transparency.Checkpoint, pending []transparency.Pending, stored tlog.HashReader) (*transparency.Growth, error) {
		growth, err := decide(newest, pending, stored)
		if k.when == "inside" {
			_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
			select {}
		}
		return growth, err
	})
	if err == nil {
		_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
		select {}
	}
	return growth, err
}

func TestAKilledIntegrationLeavesNothing(t *testing.T) {
	t.Parallel()
	url := pgtest.Database(t, repotest.Migrated)
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close(t.Context()) })
	db, err := repo.Open(t.Context(), repo.Options{URL: url})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(db.Close)
	admit(t, conn, 1, 5) // and the controller was killed before the integration
	kill := func(when string) {
		command := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestIntegrationOfAnotherProcess$")
		command.Env = append(os.Environ(), "ASTROLABE_LOG_DATABASE="+url, "ASTROLABE_LOG_KILL="+when)
		said, err := command.CombinedOutput()
		if status, ok := command.ProcessState.Sys().(syscall.WaitStatus); !ok || !status.Signaled() {
			t.Fatalf("%s: got %v, want the process killed:\n%s", when, err, said)
		}
	}
	kill("inside")
	expectLog(t, db, conn, 0, 5)
	kill("after")
	expectLog(t, db, conn, 5, 0)
	admit(t, conn, 6, 9)
	kill("inside")
	expectLog(t, db, conn, 5, 4)
	if added, err := integration(db, 1).Step(t.Context()); err != nil || added != 4 {
		t.Errorf("got %d added and %v, want the 4 that wait", added, err)
	}
	expectLog(t, db, conn, 9, 0)
}

func TestALostTransactionLeavesTheLogUnchanged(t *testing.T) {
	t.Parallel()
	db, conn := repotest.Connect(t, repotest.Migrated)
	admit(t, conn, 1, 3)
	log := store.NewLog(db)
	_, err := log.Grow(t.Context(), 10, func(newest *transparency.Checkpoint, pending []transparency.Pending, stored tlog.HashReader) (*transparency.Growth, error) {
		if _, err := conn.Exec(t.Context(), `SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory' AND objid = x'76726c67'::int
			AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`); err != nil {
			t.Error(err)
		}
		return transparency.Grow(newest, pending, stored, logSigner(1), time.Now())
	})
	if err == nil {
		t.Error("got no error, want that of a lost connection")
	}
	expectLog(t, db, conn, 0, 3)
	if added, err := integration(db, 1).Step(t.Context()); err != nil || added != 3 {
		t.Errorf("got %d added and %v, want 3", added, err)
	}
	expectLog(t, db, conn, 3, 0)
}

func TestTheLogOnlyGrows(t *testing.T) {
	t.Parallel()
	db, conn := repotest.Connect(t, repotest.Migrated)
	admit(t, conn, 1, 3)
	if _, err := integration(db, 1).Step(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, statement := range []string{
		"UPDATE verification_log_hashes SET hash = sha256(hash)", "DELETE FROM verification_log_hashes", "TRUNCATE verification_log_hashes",
		"UPDATE verification_log_checkpoints SET root = sha256(root)", "UPDATE verification_log_checkpoints SET size = 2",
		"DELETE FROM verification_log_checkpoints", "TRUNCATE verification_log_checkpoints",
	} {
		if _, err := conn.Exec(t.Context(), statement); err == nil || !strings.Contains(err.Error(), "only grows") {
			t.Errorf("%s: got %v, want an error that the log only grows", statement, err)
		}
	}
	expectLog(t, db, conn, 3, 0)
}

// During a rotation, two controllers with two keys grow the log. They sign each
// other's states again only when a key has ended.
func TestACheckpointIsSignedAgainOnlyWhenItsKeyHasEnded(t *testing.T) {
	t.Parallel()
	for column, end := range map[string]verify.KeyEnd{"not_after": verify.RetireKey, "revoked_at": verify.RevokeKey} {
		t.Run(string(end), func(t *testing.T) {
			t.Parallel()
			db, conn := repotest.Connect(t, repotest.Migrated)
			admit(t, conn, 1, 3)
			register(t, conn, 2)
			signedBy := func(when string, seed byte, want string) {
				t.Helper()
				if added, err := integration(db, seed).Step(t.Context()); err != nil || when != "first" && added != 0 {
					t.Errorf("%s: got %d added and %v, want none added", when, added, err)
				}
				newest, err := store.NewLog(db).Checkpoint(t.Context(), 0)
				if err != nil || newest.KeyID != want || newest.Size != 3 {
					t.Errorf("%s: got %v and %v, want the size 3 signed by %s", when, newest, err, want)
				}
			}
			signedBy("first", 1, "key-1")
			signedBy("while both sign", 2, "key-1")
			key, err := store.NewKeys(db).EndKey(t.Context(), "key-1", end, time.Unix(0, 0)) // the clock of the operator's machine is behind
			if err != nil {
				t.Fatal(err)
			}
			var late bool
			if err := conn.QueryRow(t.Context(), "SELECT (SELECT max(signed_at) FROM verification_log_checkpoints) > "+column+" FROM verification_keys WHERE key_id = 'key-1'").Scan(&late); err != nil || late {
				t.Errorf("got the end %v and %v, want it not before the checkpoint", key, err)
			}
			if _, err := integration(db, 1).Step(t.Context()); err == nil || !strings.Contains(err.Error(), "key-1 must not sign") {
				t.Errorf("got %v, want the ended key refused", err)
			}
			signedBy("after the end", 2, "key-2")
			signedBy("again", 2, "key-2")
			admit(t, conn, 4, 5)
			if _, err := integration(db, 1).Step(t.Context()); err == nil {
				t.Error("got receipts added by the ended key, want an error")
			}
			expectLog(t, db, conn, 3, 2)
			if _, err := integration(db, 3).Step(t.Context()); err == nil {
				t.Error("got receipts added by a key that is not registered, want an error")
			}
			if added, err := integration(db, 2).Step(t.Context()); err != nil || added != 2 {
				t.Errorf("got %d added and %v, want the next key to add 2", added, err)
			}
			expectLog(t, db, conn, 5, 0)
		})
	}
}
