package verify_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"golang.org/x/mod/sumdb/tlog"

	"astrolabe/domain"
	"astrolabe/domain/verify/receipt"
	"astrolabe/domain/verify/transparency"
	"astrolabe/repo"
	"astrolabe/repo/repotest"
	store "astrolabe/repo/verify"
	"astrolabe/starknet"
	"astrolabe/strictjson"
)

// admitSigned stores signed receipts of a declared class with everything that the
// controller stores with them.
func admitSigned(t *testing.T, conn *pgx.Conn, count int) {
	t.Helper()
	execute := func(statement string, arguments ...any) {
		t.Helper()
		if _, err := conn.Exec(t.Context(), statement, arguments...); err != nil {
			t.Fatalf("%s: %v", statement, err)
		}
	}
	var class, blockHash, tx, compiled starknet.Felt
	var block uint64
	if err := conn.QueryRow(t.Context(), `SELECT k.hash, d.block, b.hash, t.hash, d.compiled FROM declarations d JOIN classes k ON k.chain = d.chain AND k.id = d.class
		JOIN blocks b ON b.chain = d.chain AND b.block = d.block JOIN transactions t ON t.chain = d.chain AND t.block = d.block AND t.tx = d.tx
		WHERE d.compiled IS NOT NULL LIMIT 1`).Scan(&class, &block, &blockHash, &tx, &compiled); err != nil {
		t.Fatal(err)
	}
	signer, digest := logSigner(1), "sha256:"+strings.Repeat("01", 32)
	execute("INSERT INTO workspaces (id, name, plan, created_at) VALUES ('log', 'log', 'standard', now())")
	execute("INSERT INTO verification_keys VALUES ($1, $2, 'demo', $3, $4, $5, to_timestamp(0))",
		signer.Key.ID, []byte(signer.Key.PublicKey), signer.Key.Toolchain.Name, signer.Key.Toolchain.Version, signer.Key.Toolchain.Digest)
	execute("ALTER TABLE verification_receipts DISABLE TRIGGER USER")
	for id := int64(1); id <= int64(count); id++ {
		job, issued := fmt.Sprintf("vrf_%026d", id), domain.Milliseconds(time.Now()).UTC()
		r, err := receipt.Sign(receipt.Evidence{
			JobID: job, ChainID: domain.Mainnet, ClassHash: class.String(), ReceiptID: strictjson.Integer(id), SourceArchiveDigest: digest, CandidateDigest: digest,
			Declaration: receipt.Declaration{BlockNumber: strictjson.Integer(block), BlockHash: blockHash.String(), TransactionHash: tx.String(), CompiledClassHash: compiled.String()},
			IssuedAt:    issued.Format(time.RFC3339Nano),
		}, signer.Key.Environment, signer.Key.Toolchain, signer.Key, signer.Private)
		if err != nil {
			t.Fatal(err)
		}
		body, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		execute(`INSERT INTO verification_jobs (id, chain, workspace, idempotency_key, package, state, created_at, updated_at, upload_expires_at, finished_at, receipt_id)
			VALUES ($1, 1, 'log', $1, jsonb_build_object('uploadDigest', $2::text, 'selectedClassHash', $3::text), 5, now(), now(), now(), now(), $4)`, job, digest, class.String(), id)
		execute("INSERT INTO verification_history VALUES ($1, 1, 0, now()), ($1, 2, 5, now())", job)
		execute("INSERT INTO verification_receipts SELECT $1, $2, 1, hash, $3, $4, $5, $6 FROM classes WHERE chain = 1 AND hash = decode(lpad(substr($7::text, 3), 64, '0'), 'hex')",
			id, job, signer.Key.ID, r.Digest(), issued, string(body), class.String())
		execute("INSERT INTO verifications SELECT chain, class, receipt_id, issued_at, key_id, digest FROM verification_receipts WHERE receipt_id = $1", id)
		execute("INSERT INTO verification_outbox VALUES ($1)", id)
	}
	execute("ALTER TABLE verification_receipts ENABLE TRIGGER USER")
}

// logged returns a database with five receipts in the log, signed in two states,
// and two that wait for it.
func logged(t *testing.T) (*repo.DB, *pgx.Conn) {
	t.Helper()
	db, conn := repotest.Connect(t, repotest.Followed)
	admitSigned(t, conn, 7)
	for _, most := range []int{3, 2} {
		_, err := store.NewLog(db).Grow(t.Context(), most, func(newest *transparency.Checkpoint, pending []transparency.Pending, stored tlog.HashReader) (*transparency.Growth, error) {
			return transparency.Grow(newest, pending, stored, logSigner(1), domain.Milliseconds(time.Now()))
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return db, conn
}

func inspect(t *testing.T, db *repo.DB) []transparency.Fault {
	t.Helper()
	faults, _, err := transparency.Inspect(t.Context(), store.NewEvidence(db), 50)
	if err != nil {
		t.Fatal(err)
	}
	return faults
}

func TestSoundReceiptsHaveNoFaults(t *testing.T) {
	t.Parallel()
	db, _ := logged(t)
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
		{"a receipt has another job id", quiet("verification_receipts", "UPDATE verification_receipts SET body = regexp_replace(body, 'vrf_0', 'vrf_1') WHERE receipt_id = 2"), "receipts", "receipt 2: invalid_signature", false},
		{"a digest is another", quiet("verification_receipts", "UPDATE verification_receipts SET digest = 'sha256:00' WHERE receipt_id = 2"), "receipts", "receipt 2: its column digest", false},
		{"a key id is another", quiet("verification_keys", "UPDATE verification_keys SET public_key = sha256(public_key)"), "receipts", "receipt 1: invalid_signature", false},
		{"a receipt says another time", quiet("verification_receipts", "UPDATE verification_receipts SET issued_at = issued_at + interval '1 s' WHERE receipt_id = 2"), "receipts", "receipt 2: its column issued_at", false},
		{"the last receipts are gone", "DELETE FROM verification_outbox WHERE receipt_id > 4;" + quiet("verification_receipts", "DELETE FROM verification_receipts WHERE receipt_id > 4"), "receipts", "succeeded without a receipt", false},
		{"a receipt is gone", quiet("verification_receipts", "DELETE FROM verification_receipts WHERE receipt_id = 4"), "receipts", "receipt 4 is missing", false},
		{"a job is not succeeded", "UPDATE verification_jobs SET state = 7 WHERE receipt_id = 3", "receipt jobs", "receipt 3: the state or the history", false},
		{"a history does not end", quiet("verification_history", "DELETE FROM verification_history WHERE seq = 2 AND job = (SELECT job FROM verification_receipts WHERE receipt_id = 3)"), "receipt jobs", "receipt 3: the state or the history", false},
		{"a job names another receipt", "UPDATE verification_jobs SET receipt_id = 99 WHERE receipt_id = 3", "receipt jobs", "names another receipt", true},
		{"a job has another source", "UPDATE verification_jobs SET package = jsonb_set(package, '{uploadDigest}', '\"sha256:00\"') WHERE receipt_id = 3", "receipt jobs", "differ from the signed evidence", false},
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
		{"a root is another", quiet("verification_log_checkpoints", "UPDATE verification_log_checkpoints SET root = sha256(root) WHERE size = 3"), "transparency log", "the checkpoint of the size 3 was signed with another", true},
		{"a note is another", "UPDATE verification_log_checkpoints SET note = replace(note, 'log', 'lag') WHERE size = 5", "transparency log", "the checkpoint of the size 5: malformed_checkpoint", true},
		{"the time of a checkpoint is another", "UPDATE verification_log_checkpoints SET signed_at = signed_at + interval '1 s' WHERE size = 5", "transparency log", "the checkpoint of the size 5 was signed with another", true},
		{"a receipt does not wait for the log", "DELETE FROM verification_outbox WHERE receipt_id = 6", "transparency log", "receipt 6 is neither in the log nor in the outbox", true},
		{"a receipt of the log waits", "INSERT INTO verification_outbox VALUES (2)", "transparency log", "receipt 2 is in the log and still in the outbox", true},
	} {
		t.Run(c.what, func(t *testing.T) {
			t.Parallel()
			damaged, other := logged(t)
			if _, err := other.Exec(t.Context(), "SET session_replication_role = replica; "+c.statement); err != nil {
				t.Errorf("%s: %v", c.what, err)
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
					t.Errorf("%s: %s: %v", c.what, f.Repair, err)
				}
				if _, err := integration(damaged, 1).Step(t.Context()); err != nil {
					t.Errorf("%s: got %v after the repair, want the log to grow", c.what, err)
				}
				if left := inspect(t, damaged); len(left) > 0 {
					t.Errorf("%s: got %v after the repair, want no fault", c.what, left)
				}
				return
			}
			t.Errorf("%s: got %v, want %s: %s", c.what, faults, c.check, c.detail)
		})
	}
}
