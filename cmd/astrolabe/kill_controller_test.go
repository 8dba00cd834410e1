package main

import (
	"encoding/json"
	"fmt"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"astrolabe/domain/verify"
	"astrolabe/failpoint"
	"astrolabe/repo"
	"astrolabe/repo/repotest"
	"astrolabe/sim/classes"
)

// declared returns a Sierra class that a transaction of a final block declares.
func (v *verifier) declared() *classes.Class {
	v.Helper()
	all, err := classes.Load()
	v.must(err)
	for _, class := range all {
		var found int
		v.ask(v.o.url, fmt.Sprintf(`SELECT count(*) FROM declarations d JOIN classes k ON k.chain = d.chain AND k.id = d.class
			WHERE k.hash = '\x%x' AND d.tx IS NOT NULL AND d.block <= %d`, class.Hash[:], repotest.FollowedFinalized), &found)
		if found == 1 && !class.CompiledHash.IsZero() {
			return class
		}
	}
	v.Fatal("got no declared Sierra class, want one")
	return nil
}

// comparing adds a job of a workspace of its own whose build delivered a class.
func (v *verifier) comparing(key string, class *classes.Class, built []byte) {
	v.Helper()
	build, err := json.Marshal(verify.Build{Toolchain: pinSettings{}.toolchain()})
	v.must(err)
	p := verify.Package{SelectedClassHash: class.Hash, UploadDigest: fmt.Sprintf("sha256:%064d", 1), UploadByteLength: 1}
	id := "vrf_" + strings.Repeat("a", 26-len(key)) + key
	v.o.strikes(fmt.Sprintf(`INSERT INTO workspaces (id, name, plan, created_at) VALUES ('%[1]s', '%[1]s', 'standard', now());
		INSERT INTO verification_jobs (id, chain, workspace, idempotency_key, package, state, created_at, updated_at, upload_expires_at, source_committed_at, source_expires_at, build)
			VALUES ('%[2]s', 1, '%[1]s', '%[1]s', '%[3]s', 0, now(), now(), now(), now(), now() + interval '1 day', '%[4]s');
		UPDATE verification_jobs SET state = 1 WHERE id = '%[2]s';
		UPDATE verification_jobs SET state = 2 WHERE id = '%[2]s';
		UPDATE verification_jobs SET state = 3 WHERE id = '%[2]s';
		UPDATE verification_jobs SET state = 4 WHERE id = '%[2]s';
		INSERT INTO verification_candidates (job, class, built_at) VALUES ('%[2]s', '\x%[5]x', now())`, key, id, p.Canonical(), build, built))
}

// TestKillOfAControllerLosesAndDoublesNothing kills "control" at every failpoint of
// admissions and of the log. The next one decides each job once, no receipt is
// doubled, and the log catches up.
func TestKillOfAControllerLosesAndDoublesNothing(t *testing.T) {
	t.Parallel()
	v := newVerifier(t)
	class := v.declared()
	key := filepath.Join(v.folder, "receipt-key.pem")
	v.must(ensureReceiptKey(key))
	address, err := url.Parse(v.o.url)
	v.must(err)
	query := address.Query()
	query.Set("role", repo.ControllerRole)
	address.RawQuery = query.Encode()
	const comparing, succeeded, changing, changed = "01234, 0 pieces, 0 validations, state 4", "012345, 0 pieces, 0 validations, state 5", failpoint.VerifyChanging, failpoint.VerifyChanged
	for _, c := range []struct {
		key    string // of the job
		adds   []byte // what was built for the job, if it is new
		point  string
		stored string // of the job
		log    string // receipts, those that wait for the log, and checkpoints
	}{
		{"good", class.Document, failpoint.VerifyCompared, comparing, "0 0 0"},
		{"good", nil, changing + "succeeded", comparing, "0 0 0"},
		{"good", nil, changed + "succeeded", succeeded, "1 1 0"},
		{"good", nil, failpoint.LogGrowing, succeeded, "1 1 0"},
		{"good", nil, failpoint.LogGrown, succeeded, "1 0 1"},
		{"other", v.otherClass(class), changing + "mismatch", comparing, "1 0 1"},
		{"other", nil, changed + "mismatch", "012346, 0 pieces, 0 validations, state 6", "1 0 1"},
		{"broken", []byte("{}"), changing + "failed", comparing, "1 0 1"},
		{"broken", nil, changed + "failed", "012347, 0 pieces, 0 validations, state 7", "1 0 1"},
		{"again", class.Document, failpoint.LogGrown, succeeded, "2 0 2"},
	} {
		if c.adds != nil {
			v.comparing(c.key, class, c.adds)
		}
		p := start(v.T, []string{"ASTROLABE_CONTROLLER_DATABASE_URL=" + address.String(), "ASTROLABE_FAILPOINT=" + c.point}, "control", "--receipt-key-file", key, "--environment", "demo")
		v.dies(p, c.point, c.key, c.stored)
		var got string
		v.ask(v.o.url, `SELECT (SELECT count(*) FROM verification_receipts) || ' ' || (SELECT count(*) FROM verification_outbox) || ' ' || (SELECT count(*) FROM verification_log_checkpoints)`, &got)
		if got != c.log {
			t.Errorf("after a kill at %s: got receipts, waiting and checkpoints %s, want %s", c.point, got, c.log)
		}
	}
	for _, point := range slices.Concat(failpoint.Admitting, failpoint.Integrating) {
		if !slices.Contains(v.killed, point) {
			t.Errorf("got no kill at %s, want one at every point", point)
		}
	}
	var numbered string
	v.ask(v.o.url, "SELECT string_agg(receipt_id || ' ' || (SELECT idempotency_key FROM verification_jobs WHERE id = job), ', ' ORDER BY receipt_id) FROM verification_receipts", &numbered)
	if want := "1 good, 2 again"; numbered != want {
		t.Errorf("got the receipts %s, want %s", numbered, want)
	}
}

// otherClass returns the JSON of another class than the given one.
func (v *verifier) otherClass(than *classes.Class) []byte {
	v.Helper()
	all, err := classes.Load()
	v.must(err)
	for _, class := range all {
		if class.Hash != than.Hash && !class.CompiledHash.IsZero() {
			return class.Document
		}
	}
	v.Fatal("got one class, want another")
	return nil
}
