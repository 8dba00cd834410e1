package verify

import (
	"cmp"
	"context"
	"fmt"

	"github.com/uptrace/bun"
	"golang.org/x/mod/sumdb/tlog"

	"astrolabe/domain/verify/transparency"
	"astrolabe/failpoint"
	"astrolabe/repo"
	"astrolabe/repo/model"
)

// logLock is the advisory lock of the transactions that grow the log, and of the
// ends of keys.
const logLock = 0x7672_6c67 // "vrlg"

// Grow implements transparency.GrowingStore.
func (r Log) Grow(ctx context.Context, most int, decide transparency.Decide) (growth *transparency.Growth, err error) {
	err = r.db.Write().RunInTx(ctx, nil, func(ctx context.Context, tx bun.Tx) error {
		if err := lockLog(ctx, tx); err != nil {
			return err
		}
		newest, err := checkpointOf(repo.Select[model.VerificationLogCheckpoint](ctx, tx, logNewest))
		if err != nil {
			return err
		}
		if newest != nil {
			if newest.KeyEnded, err = keyEnded(ctx, tx, newest.KeyID); err != nil {
				return err
			}
		}
		pending, err := pendingOf(ctx, tx, most)
		if err != nil {
			return err
		}
		if growth, err = decide(newest, pending, readerIn(ctx, tx)); err != nil {
			return err
		}
		if growth != nil {
			newest = growth.Checkpoint
			if ended, err := keyEnded(ctx, tx, newest.KeyID); err != nil || ended {
				return cmp.Or(err, fmt.Errorf("the key %s must not sign checkpoints: it is not registered, or was retired or revoked", newest.KeyID))
			}
			if err := insertGrowth(ctx, tx, growth); err != nil {
				return err
			}
		}
		if len(pending) == 0 {
			failpoint.Hit(failpoint.LogGrowing)
			return nil
		}
		_, err = tx.NewDelete().Model((*model.VerificationOutbox)(nil)).Comment("verification.log_done").Where("receipt_id <= ?", newest.Size).Exec(ctx)
		failpoint.Hit(failpoint.LogGrowing)
		return err
	})
	if err != nil {
		return nil, repo.Failure(ctx, err)
	}
	if growth != nil {
		failpoint.Hit(failpoint.LogGrown)
	}
	return growth, nil
}

// keyEnded reports whether a key signs no more, or was never registered. EndKey
// waits for the transaction.
func keyEnded(ctx context.Context, tx bun.Tx, id string) (bool, error) {
	key, err := keyOf(ctx, tx, id)
	return key == nil || key.Ended(), err
}

// lockLog waits until no other transaction grows the log or ends a key.
func lockLog(ctx context.Context, tx bun.Tx) error {
	_, err := tx.NewRaw("/* verification.log_lock */ SELECT pg_advisory_xact_lock(?)", logLock).Exec(ctx)
	return err
}

// readerIn reads stored hashes in a transaction.
func readerIn(ctx context.Context, tx bun.Tx) tlog.HashReader {
	return tlog.HashReaderFunc(func(indexes []int64) ([]tlog.Hash, error) { return hashesAt(ctx, tx, indexes) })
}

// pendingOf returns the next receipts that wait for the log, by the primary keys.
func pendingOf(ctx context.Context, tx bun.Tx, most int) ([]transparency.Pending, error) {
	rows, err := repo.Select[model.VerificationReceipt](ctx, tx, `/* verification.log_pending */
	SELECT r.receipt_id, r.digest FROM verification_outbox x JOIN verification_receipts r ON r.receipt_id = x.receipt_id ORDER BY x.receipt_id LIMIT $1`, most)
	pending := make([]transparency.Pending, len(rows))
	for i, row := range rows {
		pending[i] = transparency.Pending{ReceiptID: row.ReceiptID, Digest: row.Digest}
	}
	return pending, err
}

// insertGrowth stores hashes and a checkpoint. A checkpoint of the same size is
// signed again; the trigger of the table refuses another root for it.
func insertGrowth(ctx context.Context, tx bun.Tx, growth *transparency.Growth) error {
	hashes := make([]model.VerificationLogHash, len(growth.Hashes))
	for i, hash := range growth.Hashes {
		hashes[i] = model.VerificationLogHash{Index: growth.First + int64(i), Hash: hash[:]}
	}
	if len(hashes) > 0 {
		if _, err := tx.NewInsert().Model(&hashes).Comment("verification.log_append").Exec(ctx); err != nil {
			return fmt.Errorf("append to the log: %w", err)
		}
	}
	c := growth.Checkpoint
	row := model.VerificationLogCheckpoint{Size: c.Size, Root: c.Root[:], Note: c.Note, SignedAt: c.SignedAt}
	_, err := tx.NewInsert().Model(&row).Comment("verification.log_sign").
		On("CONFLICT (size) DO UPDATE").Set("root = EXCLUDED.root, note = EXCLUDED.note, signed_at = EXCLUDED.signed_at").Exec(ctx)
	return err
}
