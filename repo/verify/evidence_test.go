package verify_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"astrolabe/domain/verify"
	"astrolabe/domain/verify/receipt"
	"astrolabe/domain/verify/transparency"
	"astrolabe/repo"
	"astrolabe/repo/repotest"
	store "astrolabe/repo/verify"
)

// grows adds the receipts that wait to the log.
func grows(t *testing.T, db *repo.DB) {
	t.Helper()
	signer := transparency.Signer{Private: repotest.ReceiptKey.Private, Key: receipt.Key{
		ID: repotest.ReceiptKey.ID, PublicKey: repotest.ReceiptKey.Public(), Environment: receipt.Demo, Toolchain: receipt.Toolchain(repotest.ReceiptToolchain),
	}}
	if _, err := (transparency.Integration{Store: store.NewLog(db), Signer: func(context.Context) (transparency.Signer, error) { return signer, nil }, Now: time.Now}).Step(t.Context()); err != nil {
		t.Errorf("got %v, want the log to grow", err)
	}
}

func inspect(t *testing.T, db *repo.DB) []transparency.Fault {
	t.Helper()
	return inspectWhile(t, db, func() {})
}

// inspectWhile lets act run after the receipts are read, and before the log is.
func inspectWhile(t *testing.T, db *repo.DB, act func()) (faults []transparency.Fault) {
	t.Helper()
	if err := store.ReadEvidence(t.Context(), db, func(e store.Evidence) (err error) {
		if faults, err = verify.InspectJobs(t.Context(), e, 50); err != nil {
			return err
		}
		more, _, err := transparency.Inspect(t.Context(), interrupted{e, act}, 50)
		faults = append(faults, more...)
		return err
	}); err != nil {
		t.Fatal(err)
	}
	return faults
}

// interrupted is evidence that changes while it is read.
type interrupted struct {
	store.Evidence
	act func()
}

// LogHashes implements transparency.Evidence.
func (e interrupted) LogHashes(ctx context.Context, from int64, most int) ([]transparency.StoredHash, error) {
	if from == 0 {
		e.act()
	}
	return e.Evidence.LogHashes(ctx, from, most)
}

func TestAControllerThatRunsIsNoFault(t *testing.T) {
	t.Parallel()
	db, conn := repotest.Connect(t, repotest.Receipted)
	controller := verify.NewController(store.NewAdmissions(repotest.As(t, conn, repo.ControllerRole)), repotest.ReceiptKey, receipt.Demo, repotest.ReceiptToolchain, time.Now)
	for _, f := range inspectWhile(t, db, func() {
		if decided, err := controller.Pass(t.Context()); err != nil || decided != 1 {
			t.Errorf("got %d jobs decided and %v, want one", decided, err)
		}
		grows(t, db)
	}) {
		t.Errorf("%s: got %s, want no fault", f.Check, f.Detail)
	}
}

func TestSoundReceiptsHaveNoFaults(t *testing.T) {
	t.Parallel()
	db := repotest.OpenTemplate(t, repotest.Receipted)
	for _, f := range inspect(t, db) {
		t.Errorf("%s: got %s, want no fault", f.Check, f.Detail)
	}
}

func TestEveryCorruptionOfReceiptsAndLogIsFound(t *testing.T) {
	t.Parallel()
	quiet := func(table, statement string) string {
		return "ALTER TABLE " + table + " DISABLE TRIGGER USER; " + statement + "; ALTER TABLE " + table + " ENABLE TRIGGER USER"
	}
	for _, c := range []struct {
		what, statement, check, detail string
		repaired                       bool // by the SQL of the fault
	}{
		{"a receipt is changed", quiet("verification_receipts", "UPDATE verification_receipts SET body = replace(body, 'verified_exact', 'verified_other') WHERE receipt_id = 2"), "receipts", "receipt 2: malformed_receipt", false},
		{"a receipt has another job id", quiet("verification_receipts", "UPDATE verification_receipts SET body = regexp_replace(body, 'vrf_a', 'vrf_b') WHERE receipt_id = 2"), "receipts", "receipt 2: invalid_signature", false},
		{"a digest is another", quiet("verification_receipts", "UPDATE verification_receipts SET digest = 'sha256:00' WHERE receipt_id = 2"), "receipts", "receipt 2: its column digest", false},
		{"a key id is another", quiet("verification_keys", "UPDATE verification_keys SET public_key = sha256(public_key)"), "receipts", "receipt 1: invalid_signature", false},
		{"a receipt says another time", quiet("verification_receipts", "UPDATE verification_receipts SET issued_at = issued_at + interval '1 s' WHERE receipt_id = 2"), "receipts", "receipt 2: its column issued_at", false},
		{"the last receipts are gone", "DELETE FROM verification_outbox WHERE receipt_id > 4;" + quiet("verification_receipts", "DELETE FROM verification_receipts WHERE receipt_id > 4"), "receipts", "succeeded without a receipt", false},
		{"a receipt is gone", quiet("verification_receipts", "DELETE FROM verification_receipts WHERE receipt_id = 4"), "receipts", "receipt 4 is missing", false},
		{"a job is not succeeded", "UPDATE verification_jobs SET state = 7 WHERE receipt_id = 3", "receipt jobs", "receipt 3: the state or the history", false},
		{"a history does not end", quiet("verification_history", "DELETE FROM verification_history WHERE seq = 6 AND job = (SELECT job FROM verification_receipts WHERE receipt_id = 3)"), "receipt jobs", "receipt 3: the state or the history", false},
		{"a job names another receipt", "UPDATE verification_jobs SET receipt_id = 99 WHERE receipt_id = 3", "receipt jobs", "names another receipt", true},
		{"a job has another source", "UPDATE verification_jobs SET package = jsonb_set(package, '{uploadDigest}', '\"sha256:00\"') WHERE receipt_id = 3", "receipt jobs", "differ from the signed evidence", false},
		{"a job was built with another toolchain", "UPDATE verification_jobs SET build = jsonb_set(build, '{Toolchain,Version}', '\"2.8.3\"') WHERE receipt_id = 3", "signing keys", "receipt 3: its key", false},
		{"a job has no build", "UPDATE verification_jobs SET build = NULL WHERE receipt_id = 3", "signing keys", "receipt 3: its key", false},
		{"a key is another", "UPDATE verification_keys SET public_key = sha256(public_key)", "signing keys", "has the public key of", false},
		{"a key has no toolchain", "UPDATE verification_keys SET toolchain_name = ''", "signing keys", "no trust root can be built", false},
		{"a key begins too late", "UPDATE verification_keys SET not_before = not_before + interval '1 day'", "signing keys", "is valid from", false},
		{"a key was retired too early", "UPDATE verification_keys SET not_after = not_before", "signing keys", "was retired at", false},
		{"a key was revoked too early", "UPDATE verification_keys SET revoked_at = not_before", "signing keys", "was revoked at", false},
		{"a history has two ends", "INSERT INTO verification_history SELECT job, 7, 7, at FROM verification_history WHERE state = 5 LIMIT 1", "job histories", "it has failed after succeeded", false},
		{"a history lacks a state", "DELETE FROM verification_history WHERE state = 3 AND job = (SELECT id FROM verification_jobs WHERE state = 6)", "job histories", "it has comparing after queued", false},
		{"a history is empty", "DELETE FROM verification_history WHERE job = (SELECT id FROM verification_jobs WHERE state = 8)", "job histories", "it is empty", false},
		{"a history begins too late", "DELETE FROM verification_history WHERE state = 0 AND job = (SELECT id FROM verification_jobs WHERE state = 8)", "job histories", "it begins with validating", false},
		{"a history goes back in time", "UPDATE verification_history SET at = at - interval '1 day' WHERE state = 4 AND job = (SELECT id FROM verification_jobs WHERE state = 4)", "job histories", "at an earlier time", false},
		{"a history has an unknown state", "UPDATE verification_history SET state = 77 WHERE state = 8", "job histories", "unknown state 77", false},
		{"a job has another state", "UPDATE verification_jobs SET state = 3 WHERE state = 4", "job histories", "ends with comparing, but the state of the job is building", false},
		{"a job has an unknown state", "UPDATE verification_jobs SET state = 77 WHERE state = 5", "job histories", "unknown state 77", false},
		{"a history is renumbered", "UPDATE verification_history SET seq = 9 WHERE state = 8", "job outcomes", "has the number 9", false},
		{"a job succeeded with another class", "UPDATE verification_jobs SET produced_class_hash = decode(repeat('01', 32), 'hex') WHERE receipt_id = 3", "job outcomes", "has the produced class hash", false},
		{"a job succeeded without a class", "UPDATE verification_jobs SET produced_class_hash = NULL WHERE receipt_id = 3", "job outcomes", "has no produced class hash", false},
		{"a mismatch built the selected class", "UPDATE verification_jobs SET produced_class_hash = (SELECT class FROM verification_receipts LIMIT 1) WHERE state = 6", "job outcomes", "has the produced class hash", false},
		{"a class hash is no felt", "UPDATE verification_jobs SET produced_class_hash = 'x' WHERE state = 6", "job outcomes", "cannot be read", false},
		{"a cancelled job built a class", "UPDATE verification_jobs SET produced_class_hash = decode(repeat('01', 32), 'hex') WHERE state = 8", "job outcomes", "has a produced class hash", false},
		{"a job selects no class", "UPDATE verification_jobs SET package = '[]' WHERE state = 8", "job outcomes", "selects no class", false},
		{"a failed job has no failure", "UPDATE verification_jobs SET failure_code = NULL, failure_message = NULL WHERE state = 7", "job outcomes", "has no failure", false},
		{"a failed job has no message", "UPDATE verification_jobs SET failure_message = NULL WHERE state = 7", "job outcomes", "has the unknown failure", false},
		{"a failure is unknown", "UPDATE verification_jobs SET failure_code = 'bad_luck' WHERE state = 7", "job outcomes", "unknown failure \"bad_luck\"", false},
		{"a mismatch has another failure", "UPDATE verification_jobs SET failure_code = 'build_failed' WHERE state = 6", "job outcomes", "has the failure build_failed", false},
		{"a cancelled job has a failure", "UPDATE verification_jobs SET failure_code = 'build_failed', failure_message = 'No.' WHERE state = 8", "job outcomes", "has the failure build_failed", false},
		{"a failed job names a receipt", "UPDATE verification_jobs SET receipt_id = 9 WHERE state = 7", "job outcomes", "has a receipt although", false},
		{"a public record is gone", "DELETE FROM verifications WHERE receipt_id = 3", "verification records", "receipt 3: the public record", true},
		{"a public record says something else", "UPDATE verifications SET key_id = 'other' WHERE receipt_id = 3", "verification records", "receipt 3: the public record", true},
		{"a public record is invented", "INSERT INTO verifications SELECT chain, sha256(class), 3, issued_at, key_id, receipt_digest FROM verifications WHERE receipt_id = 3", "receipts", "the public record of receipt 3 has no receipt", true},
		{"a declaration is of another block", "UPDATE declarations d SET block = d.block + 1 FROM classes k JOIN verification_receipts r ON r.class = k.hash WHERE d.chain = 1 AND d.class = k.id AND r.receipt_id = 1", "receipt declarations", "receipt 1: the index declares", false},
		{"a hash of the log is another", quiet("verification_log_hashes", "UPDATE verification_log_hashes SET hash = sha256(hash) WHERE index = 2"), "transparency log", "hash 2 is", true},
		{"a hash is gone", quiet("verification_log_hashes", "DELETE FROM verification_log_hashes WHERE index = 4"), "transparency log", "hash 4 is missing", true},
		{"the last hash is gone", quiet("verification_log_hashes", "DELETE FROM verification_log_hashes WHERE index = 7"), "transparency log", "needs 8 hashes, but there are 7", true},
		{"a hash is invented", "INSERT INTO verification_log_hashes VALUES (8, sha256('x'))", "transparency log", "hash 8 is", true},
		{"the newest checkpoint is gone", quiet("verification_log_checkpoints", "DELETE FROM verification_log_checkpoints WHERE size = 5"), "transparency log", "the newest checkpoint has the size 3", true},
		{"all checkpoints are gone", quiet("verification_log_checkpoints", "DELETE FROM verification_log_checkpoints"), "transparency log", "the newest checkpoint has the size 0", true},
		{"a root is another", quiet("verification_log_checkpoints", "UPDATE verification_log_checkpoints SET root = sha256(root) WHERE size = 3"), "transparency log", "the checkpoint of the size 3 was signed with a size, root or time", true},
		{"a note is another", "UPDATE verification_log_checkpoints SET note = replace(note, 'log', 'lag') WHERE size = 5", "transparency log", "the checkpoint of the size 5: malformed_checkpoint", true},
		{"the time of a checkpoint is another", "UPDATE verification_log_checkpoints SET signed_at = signed_at + interval '1 s' WHERE size = 5", "transparency log", "the checkpoint of the size 5 was signed with a size, root or time", true},
		{"a receipt does not wait for the log", "DELETE FROM verification_outbox WHERE receipt_id = 6", "transparency log", "receipt 6 is neither in the log nor in the outbox", true},
		{"a receipt of the log waits", "INSERT INTO verification_outbox VALUES (2)", "transparency log", "receipt 2 is in the log and still in the outbox", true},
	} {
		t.Run(c.what, func(t *testing.T) {
			t.Parallel()
			damaged, other := repotest.Connect(t, repotest.Receipted)
			if _, err := other.Exec(t.Context(), "SET session_replication_role = replica; "+c.statement); err != nil {
				t.Errorf("%s: got %v, want no error", c.what, err)
				return
			}
			faults := inspect(t, damaged)
			for _, f := range faults {
				if f.Check != c.check || !strings.Contains(f.Detail, c.detail) {
					continue
				}
				if (f.Repair != "") != c.repaired {
					t.Errorf("%s: got the repair %q, want one: %t", c.what, f.Repair, c.repaired)
				}
				if f.Repair == "" {
					return
				}
				if _, err := other.Exec(t.Context(), f.Repair); err != nil {
					t.Errorf("%s: %s: got %v, want no error", c.what, f.Repair, err)
				}
				grows(t, damaged)
				if left := inspect(t, damaged); len(left) > 0 {
					t.Errorf("%s: got %v after the repair, want no fault", c.what, left)
				}
				return
			}
			t.Errorf("%s: got %v, want %s: %s", c.what, faults, c.check, c.detail)
		})
	}
}
