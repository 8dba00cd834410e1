package verify_test

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"encoding/json"
	"errors"
	"log/slog"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"astrolabe/domain/verify"
	"astrolabe/domain/verify/receipt"
	"astrolabe/domain/verify/signing"
	"astrolabe/domain/verify/transparency"
	"astrolabe/failpoint"
	work "astrolabe/jobs/verify"
	"astrolabe/repo"
	"astrolabe/repo/repotest"
	store "astrolabe/repo/verify"
	"astrolabe/sim/classes"
	"astrolabe/starknet"
)

var controllerToolchain = verify.Toolchain{Name: "cairo-wasm", Version: "2.8.2", Digest: "sha256:" + strings.Repeat("5a", 32)}

// asController returns the address of a database for the controller's role.
func asController(t *testing.T, conn *pgx.Conn) string {
	t.Helper()
	u, err := url.Parse(conn.Config().ConnString())
	if err != nil {
		t.Fatal(err)
	}
	query := u.Query()
	query.Set("role", repo.ControllerRole)
	u.RawQuery = query.Encode()
	return u.String()
}

// declaredClass returns a Sierra class that a final block declares.
func declaredClass(t *testing.T, conn *pgx.Conn) *classes.Class {
	t.Helper()
	all, err := classes.Load()
	if err != nil {
		t.Fatal(err)
	}
	for _, class := range all {
		var found int
		if err := conn.QueryRow(t.Context(), `SELECT count(*) FROM declarations d JOIN classes k ON k.chain = d.chain AND k.id = d.class
			WHERE k.hash = $1 AND d.tx IS NOT NULL AND d.block <= $2`, class.Hash, repotest.FollowedFinalized).Scan(&found); err != nil {
			t.Fatal(err)
		}
		if found == 1 && !class.CompiledHash.IsZero() {
			return class
		}
	}
	t.Fatal("got no declared Sierra class, want one")
	return nil
}

// built adds a job that is comparing and whose build gave the selected class.
func built(t *testing.T, conn *pgx.Conn, class *classes.Class, workspace string) string {
	t.Helper()
	id := "vrf_" + strings.Repeat("a", 26-len(workspace)) + workspace
	build, err := json.Marshal(verify.Build{Toolchain: controllerToolchain})
	if err != nil {
		t.Fatal(err)
	}
	p := verify.Package{SelectedClassHash: class.Hash, UploadDigest: "sha256:" + strings.Repeat("01", 32), UploadByteLength: 1}
	tx, err := conn.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, statement := range []struct {
		text string
		args []any
	}{
		{"INSERT INTO workspaces (id, name, plan, created_at) VALUES ($1, $1, 'standard', now())", []any{workspace}},
		{`INSERT INTO verification_jobs (id, chain, workspace, idempotency_key, package, state, created_at, updated_at, upload_expires_at, source_committed_at, source_expires_at, build)
			VALUES ($1, 1, $2, $1, $3, 0, now(), now(), now(), now(), now() + interval '1 day', $4)`, []any{id, workspace, string(p.Canonical()), string(build)}},
		{"UPDATE verification_jobs SET state = 1 WHERE id = $1", []any{id}}, {"UPDATE verification_jobs SET state = 2 WHERE id = $1", []any{id}},
		{"UPDATE verification_jobs SET state = 3 WHERE id = $1", []any{id}}, {"UPDATE verification_jobs SET state = 4 WHERE id = $1", []any{id}},
		{"INSERT INTO verification_candidates (job, class, built_at) VALUES ($1, $2, now())", []any{id, class.Document}},
	} {
		if _, err := tx.Exec(t.Context(), statement.text, statement.args...); err != nil {
			t.Fatalf("%s: %v", statement.text, err)
		}
	}
	if err := tx.Commit(t.Context()); err != nil { // a builder delivers all of it at once, too
		t.Fatal(err)
	}
	return id
}

func TestAControllerIsWokenReportsItselfAndAdmits(t *testing.T) {
	t.Parallel()
	_, conn := repotest.Connect(t, repotest.Followed)
	db := repotest.As(t, conn, repo.ControllerRole)
	class := declaredClass(t, conn)
	key := signing.New(ed25519.NewKeyFromSeed(bytes.Repeat([]byte{1}, ed25519.SeedSize)))
	service := verify.NewController(store.NewAdmissions(db), key, receipt.Demo, controllerToolchain, time.Now)
	moved, listening := make(chan verify.State, 1), make(chan struct{}, 1)
	service.OnTransition(func(to verify.State) { moved <- to })
	controller := &work.Controller{Service: service, ID: "one", Logger: slog.New(slog.DiscardHandler), Listen: func(ctx context.Context, on func(string)) {
		db.Listen(ctx, []string{"astrolabe_verification"}, func(_, id string) { on(id) }, func(up bool) {
			if on(""); up {
				listening <- struct{}{}
			}
		})
	}}
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- controller.Run(ctx) }()
	<-listening
	built(t, conn, class, "w")
	if got := <-moved; got != verify.Succeeded {
		t.Errorf("got %s, want succeeded", got)
	}
	var ready bool
	var keyID string
	if err := conn.QueryRow(t.Context(), "SELECT ready, key_id FROM verification_controllers WHERE id = 'one'").Scan(&ready, &keyID); err != nil || !ready || keyID != key.ID {
		t.Errorf("got ready %t, the key %s and %v, want the controller to say that it is ready", ready, keyID, err)
	}
	stop()
	if err := <-ended; err != nil {
		t.Errorf("got %v, want no error of a controller that is stopped", err)
	}
	other := verify.NewController(store.NewAdmissions(db), key, receipt.Demo, verify.Toolchain{Name: "scarb", Version: "1", Digest: controllerToolchain.Digest}, time.Now)
	refused, ok := errors.AsType[*verify.Refusal]((&work.Controller{Service: other, ID: "two", Logger: controller.Logger, Listen: controller.Listen}).Run(t.Context()))
	if !ok || refused.Code != string(receipt.WrongToolchain) {
		t.Errorf("got %v, want the start refused for another toolchain", refused)
	}
}

// A key may end while its controller runs. The controller then stops, says why, and
// leaves jobs and log to the next one.
func TestAControllerStopsWhenItsKeyEnds(t *testing.T) {
	t.Parallel()
	for end, want := range map[verify.KeyEnd]receipt.Reason{verify.RetireKey: receipt.KeyExpired, verify.RevokeKey: receipt.KeyRevoked} {
		t.Run(string(end), func(t *testing.T) {
			t.Parallel()
			db, conn := repotest.Connect(t, repotest.Followed)
			role := repotest.As(t, conn, repo.ControllerRole)
			class := declaredClass(t, conn)
			run := func(ctx context.Context, seed byte, grown func(size int64)) error {
				key := signing.New(ed25519.NewKeyFromSeed(bytes.Repeat([]byte{seed}, ed25519.SeedSize)))
				service := verify.NewController(store.NewAdmissions(role), key, receipt.Demo, controllerToolchain, time.Now)
				log := grownLog{store.NewLog(role), grown}
				return (&work.Controller{Service: service, ID: key.ID, Log: log, Logger: slog.New(slog.DiscardHandler), Listen: func(ctx context.Context, on func(string)) {
					role.Listen(ctx, []string{"astrolabe_verification"}, func(_, id string) { on(id) }, func(bool) { on("") })
				}}).Run(ctx)
			}
			logged, ended := make(chan int64, 10), make(chan error, 1)
			go func() { ended <- run(t.Context(), 1, func(size int64) { logged <- size }) }()
			built(t, conn, class, "one")
			if size := <-logged; size != 1 {
				t.Errorf("got a log of %d receipts, want 1", size)
			}
			old := signing.New(ed25519.NewKeyFromSeed(bytes.Repeat([]byte{1}, ed25519.SeedSize))).ID
			if _, err := verify.NewKeys(store.NewKeys(db), time.Now).End(t.Context(), old, end); err != nil {
				t.Fatal(err)
			}
			id := built(t, conn, class, "two") // wakes it
			if refused, ok := errors.AsType[*verify.Refusal](<-ended); !ok || refused.Code != string(want) {
				t.Errorf("got %v, want the controller to stop with %s", refused, want)
			}
			var reason string
			var state int
			if err := conn.QueryRow(t.Context(), "SELECT (SELECT reason_code FROM verification_controllers WHERE id = $1 AND NOT ready), (SELECT state FROM verification_jobs WHERE id = $2)", old, id).
				Scan(&reason, &state); err != nil || reason != string(want) || state != 4 {
				t.Errorf("got the reason %s, the state %d and %v, want %s reported and the job left", reason, state, err, want)
			}
			ctx, stop := context.WithCancel(t.Context())
			if err := run(ctx, 2, func(size int64) {
				if size == 2 {
					stop()
				}
			}); err != nil {
				t.Error(err)
			}
			newest, err := store.NewLog(db).Checkpoint(t.Context(), 0)
			if err != nil || newest.Size != 2 || newest.KeyID == old {
				t.Errorf("got the checkpoint %v and %v, want the next controller to have added the second receipt", newest, err)
			}
		})
	}
}

// grownLog calls grown after each growth.
type grownLog struct {
	transparency.GrowingStore
	grown func(size int64)
}

// Grow implements transparency.GrowingStore.
func (l grownLog) Grow(ctx context.Context, most int, decide transparency.Decide) (*transparency.Growth, error) {
	growth, err := l.GrowingStore.Grow(ctx, most, decide)
	if err == nil && growth != nil {
		l.grown(growth.Checkpoint.Size)
	}
	return growth, err
}

// TestAKilledControllerDoublesNoReceipt kills the program before, inside and after
// the transaction that admits a receipt, and lets it run again.
func TestAKilledControllerDoublesNoReceipt(t *testing.T) {
	t.Parallel()
	program := filepath.Join(t.TempDir(), "controller")
	if out, err := exec.CommandContext(t.Context(), "go", "build", "-tags", "failpoints", "-o", program, "./testdata/controller").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	_, conn := repotest.Connect(t, repotest.Followed)
	class := declaredClass(t, conn)
	for i, point := range failpoint.Admitting {
		id := built(t, conn, class, "k"+string(rune('a'+i)))
		for _, target := range []string{point, ""} {
			command := exec.CommandContext(t.Context(), program, asController(t, conn))
			command.Env = append(os.Environ(), "ASTROLABE_FAILPOINT="+target)
			out, err := command.CombinedOutput()
			killed, ok := errors.AsType[*exec.ExitError](err)
			if target != "" && (!ok || killed.Sys().(syscall.WaitStatus).Signal() != syscall.SIGKILL) || target == "" && err != nil {
				t.Fatalf("%s: got %v and %s, want the program killed there, and to end well without a failpoint", point, err, out)
			}
		}
		var receipts, numbered, successes int
		var hash starknet.Felt
		if err := conn.QueryRow(t.Context(), `SELECT (SELECT count(*) FROM verification_receipts), (SELECT max(receipt_id) FROM verification_receipts),
			(SELECT count(*) FROM verification_history WHERE job = $1 AND state = 5), (SELECT class FROM verification_receipts WHERE job = $1)`, id).
			Scan(&receipts, &numbered, &successes, &hash); err != nil {
			t.Fatal(err)
		}
		if receipts != i+1 || numbered != i+1 || successes != 1 || hash != class.Hash {
			t.Errorf("%s: got %d receipts up to number %d and %d successes, want %d and one success", point, receipts, numbered, successes, i+1)
		}
	}
}
