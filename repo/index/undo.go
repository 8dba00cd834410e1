package index

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math"

	"github.com/uptrace/bun"

	"astrolabe/domain"
	"astrolabe/domain/indexing"
	"astrolabe/domain/token"
	"astrolabe/failpoint"
	"astrolabe/repo"
	"astrolabe/repo/model"
)

// Undo removes every block above the given one, which the index must hold, and
// moves the checkpoint back to it. A nil block removes the whole index of the
// chain, including its first block. It returns indexing.ErrFinalized if that
// affects the finalized tier, and indexing.ErrAcceptedOnL1 if it affects blocks
// that are accepted on L1.
func (w *Writer) Undo(ctx context.Context, lease indexing.Lease, to *domain.BlockRef) error {
	return w.undo(ctx, lease, to, false)
}

// Rollback is Undo for an operator. It may also remove finalized blocks and
// blocks that are accepted on L1. The newest accepted block is then the one that
// is kept. If none is kept, the head of the node is forgotten, too.
func (w *Writer) Rollback(ctx context.Context, lease indexing.Lease, to *domain.BlockRef) error {
	return w.undo(ctx, lease, to, true)
}

func (w *Writer) undo(ctx context.Context, lease indexing.Lease, to *domain.BlockRef, finalized bool) error {
	if to != nil {
		if hash, held, err := NewCheckpoints(w.db).BlockHash(ctx, lease.Chain, to.Number); err != nil {
			return err
		} else if !held || hash != to.Hash {
			return fmt.Errorf("%w: the index does not hold block %s", indexing.ErrCheckpointMoved, to)
		}
	}
	return w.lead(ctx, lease, func(tx repo.Tx) error {
		last := int64(-1) // the newest block that is kept
		if to != nil {
			last = int64(to.Number)
		}
		if err := checkUndo(ctx, tx, lease.Chain, last, finalized); err != nil {
			return err
		}
		if finalized { // sums, supplies and the ledger of privacy pools depend on finalized blocks only; their jobs also lock where they stand first
			if err := retractSums(ctx, tx, lease.Chain, last); err != nil {
				return err
			}
			if err := resetLedger(ctx, tx, lease.Chain, last); err != nil {
				return err
			}
		}
		if err := removeRows(ctx, tx, lease.Chain, last); err != nil {
			return err
		}
		failpoint.Hit(failpoint.UndoRows)
		if err := moveBack(ctx, tx, lease.Chain, to); err != nil {
			return err
		}
		if finalized {
			if err := repo.AdvanceEpoch(ctx, tx, lease.Chain); err != nil {
				return err
			}
			if err := withdrawAcceptance(ctx, tx, lease.Chain, to); err != nil {
				return err
			}
		}
		if finalized && to == nil {
			if err := forgetHead(ctx, tx, lease.Chain); err != nil {
				return err
			}
		}
		if err := recordFork(ctx, tx, lease.Chain, to); err != nil {
			return err
		}
		if err := notifyBlocks(ctx, tx, lease.Chain); err != nil {
			return err
		}
		failpoint.Hit(failpoint.UndoCheckpoint)
		return nil
	})
}

func checkUndo(ctx context.Context, tx bun.IDB, c domain.Chain, last int64, finalized bool) error {
	var (
		first    int64
		tier, l1 *int64
	)
	err := tx.NewRaw(`/* undo.check */
		SELECT first_block, finalized_block, (SELECT l1_block_number FROM chain_heads WHERE chain = ?1)
		FROM index_checkpoints WHERE chain = ?0 FOR UPDATE`, model.Code(c), string(c)).Scan(ctx, &first, &tier, &l1)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return indexing.ErrCheckpointMoved
	case err != nil || finalized:
		return err
	case l1 != nil && max(last+1, first) <= *l1:
		return fmt.Errorf("%w: block %d is below %d", indexing.ErrAcceptedOnL1, last, *l1)
	case tier != nil && last < *tier:
		return fmt.Errorf("%w: block %d is below %d", indexing.ErrFinalized, last, *tier)
	}
	return nil
}

// withdrawAcceptance lowers the acceptance on L1 to the newest block that is
// kept, because the blocks above it may be replaced.
func withdrawAcceptance(ctx context.Context, tx bun.IDB, c domain.Chain, to *domain.BlockRef) error {
	number, hash := reference(to)
	_, err := tx.NewRaw(`/* acceptance.withdraw */
		UPDATE chain_heads SET l1_block_number = ?1, l1_block_hash = ?2, l1_observed_at = CASE WHEN ?1::bigint IS NOT NULL THEN now() END
		WHERE chain = ?0 AND l1_block_number > coalesce(?1, -1)`, string(c), number, hash).Exec(ctx)
	return err
}

// forgetHead removes the head of the node and the progress of a backfill, because the
// next index may be one of another node.
func forgetHead(ctx context.Context, tx bun.IDB, c domain.Chain) error {
	if _, err := tx.NewRaw("/* head.forget */ UPDATE chain_heads SET block_number = NULL, block_hash = NULL WHERE chain = ?", string(c)).Exec(ctx); err != nil {
		return err
	}
	_, err := tx.NewRaw("/* backfill.forget */ DELETE FROM backfills WHERE chain = ?", string(c)).Exec(ctx)
	return err
}

// reference returns the columns of a block that may be absent.
func reference(block *domain.BlockRef) (number *uint64, hash []byte) {
	if block == nil {
		return nil, nil
	}
	return &block.Number, block.Hash[:]
}

// removeRows deletes the rows of all blocks above last. It drops the tables of
// partitions that are entirely above it.
func removeRows(ctx context.Context, tx bun.IDB, c domain.Chain, last int64) error {
	code := model.Code(c)
	if err := run(ctx, tx, `/* locator.remove */ DELETE FROM locators l USING (`+locatorRows+`) AS gone
		WHERE l.tag = gone.tag AND l.block = gone.block AND l.tx = gone.tx AND l.kind = gone.kind AND l.chain = %[1]d`,
		code, last+1, math.MaxInt32); err != nil {
		return err
	}
	ranges, err := rangesAfter(ctx, tx, c, last)
	if err != nil {
		return err
	}
	for _, r := range ranges {
		if err := removeFromRange(ctx, tx, c, r, last); err != nil {
			return err
		}
	}
	if err := revokeCensuses(ctx, tx, c, last+1, token.ReasonRolledBack); err != nil {
		return err
	}
	for _, table := range []string{"tokens", "deployments", "contract_classes", "contract_implementations", "untyped_transfers", "privacy_events", "declarations"} {
		if err := run(ctx, tx, "/* %s.remove */ DELETE FROM %s WHERE chain = %d AND block > %d", table, table, code, last); err != nil {
			return err
		}
	}
	if err := retractReadings(ctx, tx, c, last); err != nil {
		return err
	}
	for _, table := range []string{"event_schemas", "function_schemas"} {
		if err := run(ctx, tx, `/* %s.remove */ DELETE FROM %s s USING classes k
			WHERE k.chain = %d AND k.block > %d AND s.chain = k.chain AND s.class = k.id`, table, table, code, last); err != nil {
			return err
		}
	}
	return run(ctx, tx, "/* classes.remove */ DELETE FROM classes WHERE chain = %d AND block > %d", code, last)
}

// rangesAfter returns the partitions that hold blocks above last.
func rangesAfter(ctx context.Context, tx bun.IDB, c domain.Chain, last int64) ([]indexing.Range, error) {
	var rows []model.Range
	err := tx.NewSelect().Model(&rows).Comment("range.after").
		Where("chain = ?", model.Code(c)).Where("coalesce(to_block, ?) > ?", math.MaxInt32, last+1).Order("from_block").Scan(ctx)
	ranges := make([]indexing.Range, len(rows))
	for i := range rows {
		ranges[i] = rangeOf(&rows[i])
	}
	return ranges, err
}

func removeFromRange(ctx context.Context, tx bun.IDB, c domain.Chain, r indexing.Range, last int64) error {
	if int64(r.From) > last {
		for _, table := range rangeTables {
			if err := run(ctx, tx, "/* range.drop */ DROP TABLE %s", leaf(table.name, c, r.From)); err != nil {
				return err
			}
		}
		return run(ctx, tx, "/* range.forget */ DELETE FROM index_ranges WHERE chain = %d AND from_block = %d", model.Code(c), r.From)
	}
	removed := 0
	for _, table := range rangeTables {
		rows, err := repo.Changed(tx.NewRaw(fmt.Sprintf("/* range.remove */ DELETE FROM %s WHERE block > %d", leaf(table.name, c, r.From), last)).Exec(ctx))
		if err != nil {
			return err
		}
		if table.name == "events" {
			removed = rows
		}
	}
	// A sealed partition that lost blocks is loaded again.
	return run(ctx, tx, `/* range.shrink */ UPDATE index_ranges SET events = events - %d,
		state = CASE state WHEN 'indexing' THEN 'loading' ELSE state END,
		to_block = CASE state WHEN 'indexing' THEN NULL ELSE to_block END
		WHERE chain = %d AND from_block = %d`, removed, model.Code(c), r.From)
}

// moveBack sets the checkpoint to a block that the index holds.
func moveBack(ctx context.Context, tx bun.IDB, c domain.Chain, to *domain.BlockRef) error {
	if to == nil {
		if err := forgetPools(ctx, tx, c); err != nil { // the next index begins with its own
			return err
		}
		return run(ctx, tx, "/* checkpoint.forget */ DELETE FROM index_checkpoints WHERE chain = %d", model.Code(c))
	}
	moved, err := repo.Changed(tx.NewRaw(`/* undo.target */
		UPDATE index_checkpoints SET block = ?1, hash = ?2, finalized_block = CASE WHEN finalized_block > ?1 THEN ?1 ELSE finalized_block END,
			transactions_block = CASE WHEN transactions_block > ?1 THEN ?1 ELSE transactions_block END,
			full_block = CASE WHEN full_block > ?1 THEN ?1 ELSE full_block END
		WHERE chain = ?0 AND first_block <= ?1 AND block >= ?1`,
		model.Code(c), to.Number, to.Hash).Exec(ctx))
	if err == nil && moved == 0 {
		return indexing.ErrCheckpointMoved
	}
	return err
}

// recordFork records that the blocks above one were undone. The caller has
// locked the checkpoint, so forks are numbered without gaps.
func recordFork(ctx context.Context, tx bun.IDB, c domain.Chain, to *domain.BlockRef) error {
	number, hash := reference(to)
	_, err := tx.NewRaw(`/* fork.add */
		INSERT INTO chain_forks (chain, number, block, hash)
		SELECT ?0, coalesce(max(number), 0) + 1, ?1::integer, ?2::bytea FROM chain_forks WHERE chain = ?0`,
		model.Code(c), number, hash).Exec(ctx)
	return err
}
