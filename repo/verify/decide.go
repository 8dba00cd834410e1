package verify

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/uptrace/bun"

	"astrolabe/domain"
	"astrolabe/domain/verify"
	"astrolabe/failpoint"
	"astrolabe/repo"
	"astrolabe/repo/model"
	"astrolabe/starknet"
)

// receiptLock is the advisory lock of admissions and of the ends of keys. It
// numbers receipts without gaps, because a transaction that is rolled back frees
// its number before the next one reads it.
const receiptLock = 0x7672_6601

// lockReceipts waits until no other transaction adds a receipt or ends a key.
func lockReceipts(ctx context.Context, tx bun.IDB) error {
	_, err := tx.NewRaw("/* verification.receipt_lock */ SELECT pg_advisory_xact_lock(?)", receiptLock).Exec(ctx)
	return err
}

// Decide implements verify.ControllerStore. The lock on the row of the job
// serialises it with a cancellation.
func (r Admissions) Decide(ctx context.Context, id, keyID string, decide func(*verify.Admission) *verify.Verdict) (done bool, err error) {
	failpoint.Hit(failpoint.VerifyCompared)
	var verdict *verify.Verdict
	err = r.db.Write().RunInTx(ctx, nil, func(ctx context.Context, tx bun.Tx) error {
		var job model.VerificationJob
		err := tx.NewSelect().Model(&job).Comment("verification.claim_comparing").Column("id", "chain", "package", "updated_at").
			Where("id = ? AND state = ?", id, comparing).For("NO KEY UPDATE").Scan(ctx)
		if errors.Is(err, sql.ErrNoRows) {
			return nil
		}
		if err != nil {
			return err
		}
		if err := lockReceipts(ctx, tx); err != nil {
			return err
		}
		admission, err := admissionOf(ctx, tx, &job, keyID)
		if err != nil {
			return err
		}
		if verdict = decide(admission); verdict == nil {
			return nil
		}
		if err := writeVerdict(ctx, tx, &job, verdict); err != nil {
			return err
		}
		failpoint.Hit(failpoint.VerifyChanging + string(verdict.State))
		return nil
	})
	if err != nil {
		return false, repo.Failure(ctx, err)
	}
	if verdict == nil {
		return false, nil
	}
	failpoint.Hit(failpoint.VerifyChanged + string(verdict.State))
	return true, nil
}

// admissionOf reads what the verdict on a locked job depends on.
func admissionOf(ctx context.Context, tx bun.IDB, job *model.VerificationJob, keyID string) (*verify.Admission, error) {
	var p verify.Package
	if err := json.Unmarshal(job.Package, &p); err != nil {
		return nil, fmt.Errorf("package of %s: %w", job.ID, err)
	}
	a, c := &verify.Admission{UpdatedAt: job.UpdatedAt.UTC()}, domain.Chain(job.Chain)
	history, err := historiesOf(ctx, tx, []string{job.ID})
	if err != nil {
		return nil, err
	}
	a.History = history[job.ID]
	var next int64
	err = tx.NewRaw("/* verification.receipt_next */ SELECT coalesce(max(receipt_id), 0) + 1, clock_timestamp() FROM verification_receipts").Scan(ctx, &next, &a.Now)
	if err != nil {
		return nil, err
	}
	a.ReceiptID = uint64(next)
	if a.Key, err = keyOf(ctx, tx, keyID); err != nil {
		return nil, err
	}
	if a.Genesis, err = genesisOf(ctx, tx, c); err != nil {
		return nil, err
	}
	a.Declaration, err = declarationOf(ctx, tx, c, p.SelectedClassHash)
	return a, err
}

// declaration reads the first declaration of a class, by the hash of classes and
// declarations_class, with its block and transaction by their primary keys.
const declaration = `/* verification.declaration */
	SELECT d.block, b.hash, coalesce(d.block <= c.finalized_block, false) AS final, d.compiled,
		(SELECT hash FROM transactions WHERE chain = %[1]d AND block = d.block AND tx = d.tx) AS tx_hash
	FROM classes k
	JOIN declarations d ON d.chain = %[1]d AND d.class = k.id
	CROSS JOIN LATERAL (SELECT hash FROM blocks WHERE chain = %[1]d AND block = d.block LIMIT 1) b
	JOIN index_checkpoints c ON c.chain = %[1]d
	WHERE k.chain = %[1]d AND k.hash = ? ORDER BY d.block LIMIT 1`

func declarationOf(ctx context.Context, tx bun.IDB, c domain.Chain, class starknet.Felt) (*verify.Declaration, error) {
	var row struct {
		Block    model.BlockNumber `bun:"block"`
		Hash     starknet.Felt     `bun:"hash"`
		Final    bool              `bun:"final"`
		Compiled *starknet.Felt    `bun:"compiled"`
		TxHash   *starknet.Felt    `bun:"tx_hash"`
	}
	err := tx.NewRaw(fmt.Sprintf(declaration, model.Code(c)), class).Scan(ctx, &row)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return &verify.Declaration{
		Block: domain.BlockRef{Number: uint64(row.Block), Hash: row.Hash}, Final: row.Final, TxHash: row.TxHash, Compiled: row.Compiled,
	}, nil
}

// writeVerdict ends a locked job. Its row is written last: the role may delete the
// candidate only while the job is comparing.
func writeVerdict(ctx context.Context, tx bun.Tx, job *model.VerificationJob, v *verify.Verdict) error {
	job.State, job.UpdatedAt, job.FinishedAt, job.ProducedClassHash = model.VerificationState(v.State), v.At, &v.At, v.Produced
	if v.Failure != nil {
		job.FailureCode, job.FailureMessage = new(string(v.Failure.Code)), &v.Failure.Message
	}
	if v.Receipt != nil {
		job.ReceiptID = new(int64(v.Receipt.Evidence.ReceiptID))
		if err := addReceipt(ctx, tx, job, v); err != nil {
			return err
		}
	}
	if _, err := tx.NewDelete().Model((*model.VerificationCandidate)(nil)).Comment("verification.delete_candidate").Where("job = ?", job.ID).Exec(ctx); err != nil {
		return err
	}
	_, err := tx.NewUpdate().Model(job).Comment("verification.verdict").
		Column("state", "updated_at", "finished_at", "failure_code", "failure_message", "produced_class_hash", "receipt_id").WherePK().Exec(ctx)
	return err
}

// addReceipt stores a receipt, its place in the outbox of the log, and the public
// record of the class.
func addReceipt(ctx context.Context, tx bun.Tx, job *model.VerificationJob, v *verify.Verdict) error {
	body, err := json.Marshal(v.Receipt)
	if err != nil {
		return err
	}
	class, err := starknet.ParseFelt(v.Receipt.Evidence.ClassHash)
	if err != nil {
		return err
	}
	id, issued, digest := *job.ReceiptID, v.Receipt.Evidence.Issued(), v.Receipt.Digest()
	row := model.VerificationReceipt{
		ReceiptID: id, Job: job.ID, Chain: job.Chain, Class: class, KeyID: v.Receipt.KeyID, Digest: digest, IssuedAt: issued, Body: string(body),
	}
	if _, err := tx.NewInsert().Model(&row).Comment("verification.receipt_add").Exec(ctx); err != nil {
		return err
	}
	if _, err := tx.NewInsert().Model(&model.VerificationOutbox{ReceiptID: id}).Comment("verification.outbox_add").Exec(ctx); err != nil {
		return err
	}
	record := model.Verification{Chain: job.Chain, Class: class, ReceiptID: id, IssuedAt: issued, KeyID: v.Receipt.KeyID, ReceiptDigest: digest}
	_, err = tx.NewInsert().Model(&record).Comment("verification.record_add").Exec(ctx)
	return err
}
