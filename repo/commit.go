package repo

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"astrolabe/domain"
	"astrolabe/domain/indexing"
	"astrolabe/failpoint"
)

// writeTime bounds one statement of a commit.
const writeTime = 2 * time.Minute

// Commit stores a batch and moves the checkpoint to its last block, in one
// transaction. It MUST NOT change anything unless the index stands at
// batch.After (else indexing.ErrCheckpointMoved) and the lease is held (else
// indexing.ErrLeaseLost).
func (db *DB) Commit(ctx context.Context, lease indexing.Lease, batch indexing.Batch) error {
	w := newWriter(db, lease.Chain, batch.Range)
	w.ask(batch.Blocks)
	err := db.lead(ctx, lease, func(tx pgx.Tx) error {
		if err := bound(ctx, tx, batch.Range.State == indexing.RangeLoading); err != nil {
			return err
		}
		if err := w.write(ctx, tx, batch.Blocks); err != nil {
			return err
		}
		failpoint.Hit(failpoint.CommitRows)
		if err := moveCheckpoint(ctx, tx, lease.Chain, batch); err != nil {
			return err
		}
		failpoint.Hit(failpoint.CommitCheckpoint)
		if batch.Range.State != indexing.RangeReady { // nobody sees the blocks yet
			return nil
		}
		return tellBlocks(ctx, tx, lease.Chain)
	})
	if err != nil {
		return err
	}
	w.addresses.committed()
	w.selectors.committed()
	failpoint.Hit(failpoint.CommitDone)
	return nil
}

// bound limits the transaction's statements. A loading range need not wait for
// the disk: if the machine loses power, rows and checkpoint go back together.
func bound(ctx context.Context, tx pgx.Tx, loading bool) error {
	commits := "on"
	if loading {
		commits = "off"
	}
	// Long calldata is compressed; lz4 does so for less, where the server has it.
	_, err := tx.Exec(ctx, `/* commit.bound */
		SELECT set_config('statement_timeout', $1, true), set_config('synchronous_commit', $2, true),
			set_config('default_toast_compression', CASE WHEN 'lz4' = ANY(enumvals) THEN 'lz4' ELSE setting END, true)
		FROM pg_settings WHERE name = 'default_toast_compression'`,
		milliseconds(writeTime), commits)
	return err
}

func milliseconds(d time.Duration) string { return fmt.Sprint(d.Milliseconds()) }

func moveCheckpoint(ctx context.Context, tx pgx.Tx, c domain.Chain, batch indexing.Batch) error {
	var (
		events int
		after  struct {
			number *int64
			hash   []byte
		}
	)
	if batch.After != nil {
		after.number, after.hash = new(int64(batch.After.Number)), batch.After.Hash[:]
	}
	for i := range batch.Blocks {
		events += len(batch.Blocks[i].Events)
	}
	last := batch.Blocks[len(batch.Blocks)-1].Header
	tag, err := tx.Exec(ctx, `/* checkpoint.move */
		UPDATE index_checkpoints SET block = $4, hash = $5, finalized_block = greatest(finalized_block, $6)
		WHERE chain = $1 AND block IS NOT DISTINCT FROM $2 AND hash IS NOT DISTINCT FROM $3`,
		chainCode(c), after.number, after.hash, int64(last.Number), last.Hash[:], batch.Finalized)
	if err != nil {
		return err
	}
	if tag.RowsAffected() == 0 {
		return indexing.ErrCheckpointMoved
	}
	_, err = tx.Exec(ctx, `/* range.grow */
		UPDATE index_ranges SET events = events + $3 WHERE chain = $1 AND from_block = $2`,
		chainCode(c), batch.Range.From, events)
	return err
}
