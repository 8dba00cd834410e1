package main

import (
	"bytes"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	"astrolabe/domain/verify/archive"
	"astrolabe/failpoint"
	"astrolabe/pg/pgtest"
	"astrolabe/repo/repotest"
	"astrolabe/starknet"
)

// buildIntake builds the program of testdata/intake once, with failpoints.
var buildIntake = sync.OnceValues(func() (string, error) {
	binary := filepath.Join(buildFolder, "intake")
	out, err := exec.Command("go", "build", "-tags", "failpoints", "-ldflags", "-s", "-o", binary, "./testdata/intake").CombinedOutput()
	if err != nil {
		return "", errors.New(string(out))
	}
	return binary, nil
})

// verifier is an owner whose verification jobs are killed.
type verifier struct {
	*campaign
	o      *operator
	class  starknet.Felt
	folder string
	killed []string // the points
}

func newVerifier(t *testing.T) *verifier {
	t.Helper()
	v := &verifier{campaign: &campaign{T: t}, o: &operator{T: t, url: pgtest.Database(t, repotest.Followed)}, folder: pgtest.Dir(t)}
	v.o.strikes("INSERT INTO workspaces (id, name, plan, created_at) VALUES ('a', 'a', 'standard', now())")
	v.o.strikes(`INSERT INTO verification_builders (id, toolchain_name, toolchain_version, toolchain_digest, ready, reason_code, reason, seen_at)
		VALUES ('one', 'scarb', '2.12.0', 'sha256:00', true, '', '', now() + interval '1 hour')`)
	v.o.strikes(`INSERT INTO verification_controllers (id, key_id, environment, toolchain_name, toolchain_version, toolchain_digest, ready, reason_code, reason, seen_at)
		VALUES ('one', 'ed25519:00', 'demo', 'scarb', '2.12.0', 'sha256:00', true, '', '', '2100-01-01') ON CONFLICT DO NOTHING`)
	v.ask(v.o.url, "SELECT k.hash FROM classes k JOIN declarations d ON d.chain = k.chain AND d.class = k.id LIMIT 1", &v.class)
	return v
}

// stored describes a job: its history, the pieces of its source, whether that was
// deleted, and the validations that were queued.
func (v *verifier) stored(key string) (text string) {
	v.Helper()
	v.ask(v.o.url, fmt.Sprintf(`SELECT coalesce((SELECT (SELECT string_agg(state::text, '' ORDER BY seq) FROM verification_history WHERE job = j.id)
			|| ', ' || (SELECT count(*) FROM verification_sources WHERE job = j.id) || ' pieces, '
			|| CASE WHEN source_deleted_at IS NULL THEN '' ELSE 'deleted, ' END
			|| (SELECT count(*) FROM river_job WHERE kind = 'verify_validate' AND args->>'jobId' = j.id) || ' validations, state ' || state
		FROM verification_jobs j WHERE idempotency_key = '%s'), 'nothing')`, key), &text)
	return text
}

func (v *verifier) id(key string) (id string) {
	v.Helper()
	v.ask(v.o.url, "SELECT id FROM verification_jobs WHERE idempotency_key = '"+key+"'", &id)
	return id
}

// source writes a source of two pieces, which is an archive or not, and returns
// its path and its package.
func (v *verifier) source(name string, good bool) (path, body string) {
	v.Helper()
	content := make([]byte, 300<<10)
	_, _ = rand.Read(content)
	content[0] = 0
	if good {
		var out bytes.Buffer
		if err := archive.Pack(&out, fstest.MapFS{
			"Scarb.lock": {Data: []byte("version = 1\n\n[[package]]\nname = \"hello\"\nversion = \"0.1.0\"\n")},
			"Scarb.toml": {Data: []byte("[package]\nname = \"hello\"\nversion = \"0.1.0\"\n\n[[target.starknet-contract]]\n\n[dependencies]\nstarknet = \"2.8.2\"\n")},
			"noise":      {Data: content},
		}); err != nil {
			v.Fatal(err)
		}
		content = out.Bytes()
	}
	path = filepath.Join(v.folder, name)
	if err := os.WriteFile(path, content, 0o600); err != nil {
		v.Fatal(err)
	}
	sum := sha256.Sum256(content)
	return path, fmt.Sprintf(`{"selectedClassHash":"%s","uploadDigest":"sha256:%s","uploadByteLength":%d,"toolchainPolicyId":"service-exact-v25","packageName":"hello",
		"buildProfile":"release","targetName":"hello","targetKind":"starknet-contract","artifactId":"e1p6jp2ak1nmk","modulePath":"hello::Hello",
		"sourceVisibility":"private","retentionPolicyId":"private-24h-v1"}`, v.class, hex.EncodeToString(sum[:]), len(content))
}

// intake runs the program of testdata/intake.
func (v *verifier) intake(point string, args ...string) *program {
	v.Helper()
	binary, err := buildIntake()
	if err != nil {
		v.Fatal(err)
	}
	return startBinary(v.T, binary, []string{"ASTROLABE_DATABASE_URL=" + v.o.url, "ASTROLABE_FAILPOINT=" + point}, args...)
}

// work runs the workers of the real program, which do the upkeep.
func (v *verifier) work(point string) *program {
	v.Helper()
	v.ask(v.o.url, "WITH a AS (DELETE FROM river_leader), b AS (DELETE FROM river_job WHERE kind <> 'verify_validate') SELECT 1", new(int)) // as if time had passed
	return start(v.T, []string{"ASTROLABE_DATABASE_URL=" + v.o.url, "ASTROLABE_FAILPOINT=" + point}, "work", "--data", v.folder, "--admin-addr", "")
}

// rescue makes validations available again that a killed process has begun, as
// River does after an hour.
func (v *verifier) rescue() {
	v.Helper()
	v.ask(v.o.url, "WITH a AS (UPDATE river_job SET state = 'available', attempt = 0 WHERE kind = 'verify_validate' AND state = 'running') SELECT 1", new(int))
}

// dies expects a program to be killed at a point, and what is stored of a job
// then.
func (v *verifier) dies(p *program, point, key, want string) {
	v.Helper()
	p.wait(v.T)
	if !p.killed() {
		v.Fatalf("got a program that was not killed at %s, want it killed:\n%s", point, p.text())
	}
	v.killed = append(v.killed, point)
	if got := v.stored(key); got != want {
		v.Errorf("after a kill at %s: got %s, want %s", point, got, want)
	}
}

// succeeds expects a program to end well, and what is stored of a job then.
func (v *verifier) succeeds(p *program, key, want string) {
	v.Helper()
	p.wait(v.T)
	if code := p.cmd.ProcessState.ExitCode(); code != exitOK {
		v.Fatalf("got exit code %d, want %d:\n%s", code, exitOK, p.text())
	}
	if got := v.stored(key); got != want {
		v.Errorf("got %s, want %s", got, want)
	}
}

// TestKillOfVerificationLosesAndDoublesNothing kills the intake, the validating
// worker and the upkeep at every failpoint. A kill before a commit leaves the job as
// it was, a kill after it leaves it as it shall be, and the repeated act finds
// either.
func TestKillOfVerificationLosesAndDoublesNothing(t *testing.T) {
	t.Parallel()
	v := newVerifier(t)
	const created, committed = "0, 0 pieces, 0 validations, state 0", "01, 2 pieces, 1 validations, state 1"

	good, body := v.source("good", true)
	v.dies(v.intake(failpoint.VerifyAdding, "create", "good", body), failpoint.VerifyAdding, "good", "nothing")
	v.dies(v.intake(failpoint.VerifyAdded, "create", "good", body), failpoint.VerifyAdded, "good", created)
	v.succeeds(v.intake("", "create", "good", body), "good", created)
	var count int
	if v.ask(v.o.url, "SELECT sum(created) FROM verification_creates", &count); count != 1 {
		t.Errorf("got %d counted creates, want 1", count)
	}
	id := v.id("good")
	for _, point := range []string{failpoint.VerifyCopied, failpoint.VerifyChanging + "validating"} {
		v.dies(v.intake(point, "upload", id, good), point, "good", created)
	}
	v.dies(v.intake(failpoint.VerifyChanged+"validating", "upload", id, good), failpoint.VerifyChanged+"validating", "good", committed)
	v.succeeds(v.intake("", "upload", id, good), "good", committed)

	for _, point := range []string{failpoint.VerifyChecked, failpoint.VerifyChanging + "queued"} {
		v.dies(v.intake(point, "validate"), point, "good", committed)
		v.o.strikes("DELETE FROM river_job WHERE kind = 'verify_validate'") // as if its period had passed
		v.o.strikes("UPDATE verification_jobs SET updated_at = now() - interval '3 minutes'")
		if point == failpoint.VerifyChecked {
			v.dies(v.work(failpoint.VerifyChanging+failpoint.VerifyRepeat), failpoint.VerifyChanging+failpoint.VerifyRepeat, "good", strings.Replace(committed, "1 v", "0 v", 1))
		}
		v.dies(v.work(failpoint.VerifyChanged+failpoint.VerifyRepeat), failpoint.VerifyChanged+failpoint.VerifyRepeat, "good", committed)
		v.rescue() // the killed process may have begun the validation
	}
	const queued = "012, 2 pieces, 1 validations, state 2"
	v.dies(v.intake(failpoint.VerifyChanged+"queued", "validate"), failpoint.VerifyChanged+"queued", "good", queued)
	v.dies(v.intake(failpoint.VerifyChanging+"cancelled", "cancel", id), failpoint.VerifyChanging+"cancelled", "good", queued)
	const cancelled = "0128, 2 pieces, 1 validations, state 8"
	v.dies(v.intake(failpoint.VerifyChanged+"cancelled", "cancel", id), failpoint.VerifyChanged+"cancelled", "good", cancelled)
	v.succeeds(v.intake("", "cancel", id), "good", cancelled)

	bad, body := v.source("bad", false)
	v.succeeds(v.intake("", "create", "bad", body), "bad", created)
	v.succeeds(v.intake("", "upload", v.id("bad"), bad), "bad", committed)
	v.dies(v.intake(failpoint.VerifyChanging+"failed", "validate"), failpoint.VerifyChanging+"failed", "bad", committed)
	v.rescue()
	v.dies(v.intake(failpoint.VerifyChanged+"failed", "validate"), failpoint.VerifyChanged+"failed", "bad", "017, 2 pieces, 1 validations, state 7")

	v.o.strikes("UPDATE verification_jobs SET source_expires_at = now() WHERE idempotency_key = 'good'")
	v.dies(v.work(failpoint.VerifyChanging+failpoint.VerifyDeleteSource), failpoint.VerifyChanging+failpoint.VerifyDeleteSource, "good", cancelled)
	v.dies(v.work(failpoint.VerifyChanged+failpoint.VerifyDeleteSource), failpoint.VerifyChanged+failpoint.VerifyDeleteSource, "good", "0128, 0 pieces, deleted, 1 validations, state 8")

	_, body = v.source("late", true)
	v.succeeds(v.intake("", "create", "late", body), "late", created)
	v.o.strikes("UPDATE verification_jobs SET upload_expires_at = now() WHERE idempotency_key = 'late'")
	v.dies(v.work(failpoint.VerifyChanging+"expired"), failpoint.VerifyChanging+"expired", "late", created)
	v.dies(v.work(failpoint.VerifyChanged+"expired"), failpoint.VerifyChanged+"expired", "late", "09, 0 pieces, 0 validations, state 9")

	for _, point := range failpoint.Verifying {
		if !slices.Contains(v.killed, point) {
			t.Errorf("got no kill at %s, want one at every point", point)
		}
	}
	if v.ask(v.o.url, "SELECT count(*) FROM verification_jobs", &count); count != 3 {
		t.Errorf("got %d jobs, want the 3 that were created", count)
	}
}
