package index

import (
	"context"
	"time"

	"github.com/uptrace/bun"

	"astrolabe/domain"
	"astrolabe/domain/facts"
	"astrolabe/domain/indexing"
	"astrolabe/failpoint"
	"astrolabe/repo"
	"astrolabe/repo/model"
)

// writeTime is the time limit of a statement of a commit.
const writeTime = 2 * time.Minute

// Commit stores a batch and moves the checkpoint to its last block, in one
// transaction. It MUST NOT change anything unless the checkpoint is at
// batch.After (else indexing.ErrCheckpointMoved) and the lease is held (else
// indexing.ErrLeaseLost).
func (w *Writer) Commit(ctx context.Context, lease indexing.Lease, batch indexing.Batch) error {
	b := w.batch(lease.Chain, batch.Range)
	b.ask(batch.Blocks)
	err := w.lead(ctx, lease, func(tx repo.Tx) error {
		if err := bound(ctx, tx, batch.Range.State == indexing.RangeLoading); err != nil {
			return err
		}
		if err := checkCheckpoint(ctx, tx, lease.Chain, batch.After); err != nil {
			return err
		}
		if err := b.write(ctx, tx, batch.Blocks); err != nil {
			return err
		}
		failpoint.Hit(failpoint.CommitRows)
		if err := moveCheckpoint(ctx, tx, lease.Chain, batch); err != nil {
			return err
		}
		if err := recordAcceptance(ctx, tx, lease.Chain, batch.L1); err != nil {
			return err
		}
		failpoint.Hit(failpoint.CommitCheckpoint)
		if batch.Range.State != indexing.RangeReady { // the blocks are not visible yet
			return nil
		}
		return notifyBlocks(ctx, tx, lease.Chain)
	})
	if err != nil {
		return err
	}
	b.addresses.committed()
	b.selectors.committed()
	failpoint.Hit(failpoint.CommitDone)
	return nil
}

// notifyBlocks notifies the listeners, when the transaction commits, that the
// visible blocks changed.
func notifyBlocks(ctx context.Context, tx bun.IDB, c domain.Chain) error {
	return repo.Notify(ctx, tx, repo.BlocksChannel, string(c))
}

// bound sets the time limit of the transaction's statements. A commit to a
// loading partition need not wait for the disk: if the machine loses power, rows
// and checkpoint are lost together.
func bound(ctx context.Context, tx bun.IDB, loading bool) error {
	commits := "on"
	if loading {
		commits = "off"
	}
	// Postgres compresses long calldata. lz4 is cheaper, if the server has it.
	_, err := tx.NewRaw(`/* commit.bound */
		SELECT set_config('statement_timeout', ?, true), set_config('synchronous_commit', ?, true),
			set_config('default_toast_compression', CASE WHEN 'lz4' = ANY(enumvals) THEN 'lz4' ELSE setting END, true)
		FROM pg_settings WHERE name = 'default_toast_compression'`,
		milliseconds(writeTime), commits).Exec(ctx)
	return err
}

// checkCheckpoint returns indexing.ErrCheckpointMoved unless the checkpoint is
// at the block. Without this check, a batch that is already stored would fail
// on its first duplicate row.
func checkCheckpoint(ctx context.Context, tx bun.IDB, c domain.Chain, at *domain.BlockRef) error {
	number, hash := reference(at)
	var expected bool
	err := tx.NewRaw(`/* checkpoint.check */
		SELECT EXISTS (SELECT FROM index_checkpoints WHERE chain = ? AND block IS NOT DISTINCT FROM ? AND hash IS NOT DISTINCT FROM ?)`,
		model.Code(c), number, hash).Scan(ctx, &expected)
	if err == nil && !expected {
		return indexing.ErrCheckpointMoved
	}
	return err
}

func moveCheckpoint(ctx context.Context, tx bun.IDB, c domain.Chain, batch indexing.Batch) error {
	events := 0
	number, hash := reference(batch.After)
	for i := range batch.Blocks {
		events += len(batch.Blocks[i].Events)
	}
	last := batch.Blocks[len(batch.Blocks)-1].Header
	moved, err := repo.Changed(tx.NewRaw(`/* checkpoint.move */
		UPDATE index_checkpoints SET block = ?, hash = ?, finalized_block = greatest(finalized_block, ?),
			transactions_block = CASE WHEN transactions_block IS NOT DISTINCT FROM block THEN coalesce(?, transactions_block) ELSE transactions_block END,
			full_block = CASE WHEN full_block IS NOT DISTINCT FROM block THEN coalesce(?, full_block) ELSE full_block END
		WHERE chain = ? AND block IS NOT DISTINCT FROM ? AND hash IS NOT DISTINCT FROM ?`,
		last.Number, last.Hash, batch.Finalized, batch.VerifiedThrough(facts.TransactionsVerified), batch.VerifiedThrough(facts.FullyVerified),
		model.Code(c), number, hash).Exec(ctx))
	if err != nil {
		return err
	}
	if moved == 0 {
		return indexing.ErrCheckpointMoved
	}
	_, err = tx.NewRaw(`/* range.grow */
		UPDATE index_ranges SET events = events + ? WHERE chain = ? AND from_block = ?`,
		events, model.Code(c), batch.Range.From).Exec(ctx)
	return err
}
