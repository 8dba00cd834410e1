package repo

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/jackc/pgx/v5"

	"astrolabe/domain"
	"astrolabe/domain/indexing"
	"astrolabe/domain/token"
	"astrolabe/failpoint"
	"astrolabe/starknet"
)

// Undo removes every block above the given one, which the index must hold,
// and moves the checkpoint back to it. A nil block removes the whole index of
// the chain, its beginning included. It is indexing.ErrFinalized when that
// concerns the finalized tier.
func (db *DB) Undo(ctx context.Context, lease indexing.Lease, to *domain.BlockRef) error {
	return db.undo(ctx, lease, to, false)
}

// Rollback does the same for an operator, also below the finalized tier.
func (db *DB) Rollback(ctx context.Context, lease indexing.Lease, to *domain.BlockRef) error {
	return db.undo(ctx, lease, to, true)
}

func (db *DB) undo(ctx context.Context, lease indexing.Lease, to *domain.BlockRef, finalized bool) error {
	if to != nil {
		if hash, held, err := db.BlockHash(ctx, lease.Chain, to.Number); err != nil {
			return err
		} else if !held || hash != to.Hash {
			return fmt.Errorf("%w: it does not hold block %s", indexing.ErrCheckpointMoved, to)
		}
	}
	return db.lead(ctx, lease, func(tx pgx.Tx) error {
		last := int64(-1) // the newest block that stays
		if to != nil {
			last = int64(to.Number)
		}
		if err := checkUndo(ctx, tx, lease.Chain, last, finalized); err != nil {
			return err
		}
		if finalized { // sums and supplies rest on nothing else; whoever sums holds them before it reads, too
			if err := undoTokenReadings(ctx, tx, lease.Chain, last); err != nil {
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
			if err := advanceEpoch(ctx, tx, lease.Chain); err != nil {
				return err
			}
		}
		if err := recordFork(ctx, tx, lease.Chain, to); err != nil {
			return err
		}
		if err := tellBlocks(ctx, tx, lease.Chain); err != nil {
			return err
		}
		failpoint.Hit(failpoint.UndoCheckpoint)
		return nil
	})
}

func checkUndo(ctx context.Context, tx pgx.Tx, c domain.Chain, last int64, finalized bool) error {
	var tier *int64
	err := tx.QueryRow(ctx, `/* undo.check */
		SELECT finalized_block FROM index_checkpoints WHERE chain = $1 FOR UPDATE`, chainCode(c)).Scan(&tier)
	if errors.Is(err, pgx.ErrNoRows) {
		return indexing.ErrCheckpointMoved
	}
	if err == nil && !finalized && tier != nil && last < *tier {
		return fmt.Errorf("%w: block %d is below %d", indexing.ErrFinalized, last, *tier)
	}
	return err
}

// removeRows deletes the rows of all blocks above last. Ranges that lie wholly
// above it go with their tables.
func removeRows(ctx context.Context, tx pgx.Tx, c domain.Chain, last int64) error {
	code := chainCode(c)
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
	for _, table := range []string{"tokens", "deployments", "contract_classes", "declarations", "market_pools"} {
		if err := run(ctx, tx, "/* %s.remove */ DELETE FROM %s WHERE chain = %d AND block > %d", table, table, code, last); err != nil {
			return err
		}
	}
	// A certificate over blocks that are gone is built anew.
	if err := run(ctx, tx, "/* certificate.undo */ DELETE FROM event_certificates WHERE chain = %d AND through_block > %d", code, last); err != nil {
		return err
	}
	// What was read of tokens at a block that is gone is read again.
	if err := run(ctx, tx, "/* token.unread */ UPDATE tokens SET metadata_due = '-infinity' WHERE chain = %d AND metadata_block > %d", code, last); err != nil {
		return err
	}
	// Pools are read again from there on.
	if err := run(ctx, tx, "/* market.unscan */ UPDATE market_scans SET block = %[2]d, tx = %[3]d, log = %[3]d WHERE chain = %[1]d AND block > %[2]d",
		code, last, math.MaxInt16); err != nil {
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

// undoTokenReadings takes back what was summed up or read of tokens at blocks
// above last.
func undoTokenReadings(ctx context.Context, tx pgx.Tx, c domain.Chain, last int64) error {
	if err := unsum(ctx, tx, c, last); err != nil {
		return err
	}
	return run(ctx, tx, `/* supply.undo */ UPDATE tokens SET supply = NULL, supply_block = NULL, supply_due = '-infinity'
		WHERE chain = %d AND supply_block > %d`, chainCode(c), last)
}

// rangesAfter returns the ranges that hold blocks above last.
func rangesAfter(ctx context.Context, tx pgx.Tx, c domain.Chain, last int64) ([]indexing.Range, error) {
	rows, err := tx.Query(ctx, `/* range.after */
		SELECT from_block, coalesce(to_block, 0), state, events FROM index_ranges
		WHERE chain = $1 AND coalesce(to_block, $3) > $2 + 1 ORDER BY from_block`,
		chainCode(c), last, math.MaxInt32)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (r indexing.Range, err error) {
		err = row.Scan(&r.From, &r.To, &r.State, &r.Events)
		return r, err
	})
}

func removeFromRange(ctx context.Context, tx pgx.Tx, c domain.Chain, r indexing.Range, last int64) error {
	if int64(r.From) > last {
		for _, table := range rangeTables {
			if err := run(ctx, tx, "/* range.drop */ DROP TABLE %s", leaf(table.name, c, r.From)); err != nil {
				return err
			}
		}
		return run(ctx, tx, "/* range.forget */ DELETE FROM index_ranges WHERE chain = %d AND from_block = %d", chainCode(c), r.From)
	}
	removed := int64(0)
	for _, table := range rangeTables {
		tag, err := tx.Exec(ctx, fmt.Sprintf("/* range.remove */ DELETE FROM %s WHERE block > %d", leaf(table.name, c, r.From), last))
		if err != nil {
			return err
		}
		if table.name == "events" {
			removed = tag.RowsAffected()
		}
	}
	// A sealed range that lost blocks is loaded again.
	return run(ctx, tx, `/* range.shrink */ UPDATE index_ranges SET events = events - %d,
		state = CASE state WHEN 'indexing' THEN 'loading' ELSE state END,
		to_block = CASE state WHEN 'indexing' THEN NULL ELSE to_block END
		WHERE chain = %d AND from_block = %d`, removed, chainCode(c), r.From)
}

// moveBack sets the checkpoint to a block that the index holds.
func moveBack(ctx context.Context, tx pgx.Tx, c domain.Chain, to *domain.BlockRef) error {
	if to == nil {
		return run(ctx, tx, "/* checkpoint.forget */ DELETE FROM index_checkpoints WHERE chain = %d", chainCode(c))
	}
	var hash starknet.Felt
	err := tx.QueryRow(ctx, `/* undo.target */
		UPDATE index_checkpoints SET block = $2, hash = $3, finalized_block = CASE WHEN finalized_block > $2 THEN $2 ELSE finalized_block END
		WHERE chain = $1 AND first_block <= $2 AND block >= $2 RETURNING hash`,
		chainCode(c), int64(to.Number), to.Hash[:]).Scan(&hash)
	if errors.Is(err, pgx.ErrNoRows) {
		return indexing.ErrCheckpointMoved
	}
	return err
}

// BlockHash returns the hash of a stored block, also of one that readers
// cannot see yet. It is false when the index does not hold the block.
func (db *DB) BlockHash(ctx context.Context, c domain.Chain, number uint64) (hash starknet.Felt, held bool, err error) {
	var from uint64
	err = db.pool.QueryRow(ctx, `/* range.holding */
		SELECT from_block FROM index_ranges WHERE chain = $1 AND from_block <= $2 ORDER BY from_block DESC LIMIT 1`,
		chainCode(c), int64(number)).Scan(&from)
	if err == nil {
		err = db.pool.QueryRow(ctx, fmt.Sprintf("/* block.hash */ SELECT hash FROM %s WHERE block = $1", leaf("blocks", c, from)),
			int64(number)).Scan(&hash)
	}
	if errors.Is(err, pgx.ErrNoRows) {
		return starknet.Felt{}, false, nil
	}
	return hash, err == nil, outage(err)
}
