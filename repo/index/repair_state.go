package index

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"

	"github.com/uptrace/bun"

	"astrolabe/domain"
	"astrolabe/domain/facts"
	"astrolabe/domain/indexing"
	"astrolabe/domain/token"
	"astrolabe/repo"
	"astrolabe/repo/model"
)

// ResetCheckpoint moves the checkpoint of a chain to its newest stored block,
// the finalized tier to its depth below that if it is out of bounds, and the ends
// of the verified blocks to where they are. It records the block as the head if
// none is recorded, completes the hash of a watermark of L1 acceptance, forgets one
// that is above the head or of another block, and moves one back that is above the
// newest block that the node says is accepted; nil if that is not known. It
// returns the block.
func (r Repairer) ResetCheckpoint(ctx context.Context, lease indexing.Lease, accepted *domain.BlockRef) (at domain.BlockRef, err error) {
	code := model.Code(lease.Chain)
	err = r.writer.lead(ctx, lease, func(tx repo.Tx) error {
		ranges, err := rangesAfter(ctx, tx, lease.Chain, -1)
		if err != nil {
			return err
		}
		if len(ranges) == 0 {
			return fmt.Errorf("%s has no partition", lease.Chain)
		}
		first, blocks := ranges[0].From, fsck{chain: lease.Chain, code: code}.rows("blocks", ranges)
		// The newest block that is a child of a stored one: a stray row is not.
		err = tx.NewRaw(fmt.Sprintf(`/* repair.newest */
			SELECT b.block, b.hash FROM %[1]s AS b
			WHERE b.block = ?0 OR EXISTS (SELECT FROM %[1]s AS p WHERE p.block = b.block - 1 AND p.hash = b.parent_hash)
			ORDER BY b.block DESC LIMIT 1`, blocks), first).Scan(ctx, &at.Number, &at.Hash)
		if errors.Is(err, sql.ErrNoRows) {
			return fmt.Errorf("%s has no stored block that continues another", lease.Chain)
		}
		if err != nil {
			return err
		}
		if _, err := tx.NewRaw(`/* repair.stand */
			INSERT INTO index_checkpoints (chain, first_block, block, hash) VALUES (?0, ?1, ?2, ?3)
			ON CONFLICT (chain) DO UPDATE SET first_block = excluded.first_block, block = excluded.block, hash = excluded.hash`,
			code, first, at.Number, at.Hash).Exec(ctx); err != nil {
			return err
		}
		if _, err := tx.NewRaw(`/* repair.head */
			INSERT INTO chain_heads (chain, state, block_number, block_hash, finality_depth, observed_at)
			SELECT ?1, 'backfilling', block, hash, block - finalized_block, now() FROM index_checkpoints WHERE chain = ?0
			ON CONFLICT (chain) DO NOTHING`, code, string(lease.Chain)).Exec(ctx); err != nil {
			return err
		}
		if _, err := tx.NewRaw(`/* repair.tier */
			UPDATE index_checkpoints c SET finalized_block = CASE WHEN c.block - h.finality_depth >= c.first_block THEN c.block - h.finality_depth END
			FROM chain_heads h WHERE c.chain = ?0 AND h.chain = ?1 AND h.finality_depth IS NOT NULL AND `+tierOutOfBounds,
			code, string(lease.Chain)).Exec(ctx); err != nil {
			return err
		}
		if _, err := tx.NewRaw("/* repair.tier_above */ UPDATE index_checkpoints SET finalized_block = block WHERE chain = ? AND finalized_block > block",
			code).Exec(ctx); err != nil {
			return err
		}
		if _, err := tx.NewRaw(`/* repair.l1_hash */
			UPDATE chain_heads h SET l1_block_hash = b.hash FROM `+blocks+` AS b
			WHERE h.chain = ? AND h.l1_block_hash IS NULL AND b.block = h.l1_block_number`, string(lease.Chain)).Exec(ctx); err != nil {
			return err
		}
		if _, err := tx.NewRaw(`/* repair.l1 */
			UPDATE chain_heads h SET l1_block_number = NULL, l1_block_hash = NULL, l1_observed_at = NULL
			FROM index_checkpoints c WHERE c.chain = ?0 AND h.chain = ?1
				AND (`+acceptedAboveHead+` OR h.l1_block_hash IS NULL OR EXISTS (SELECT FROM `+blocks+` AS b WHERE b.block = h.l1_block_number AND b.hash <> h.l1_block_hash))`,
			code, string(lease.Chain)).Exec(ctx); err != nil {
			return err
		}
		if err := lowerAcceptance(ctx, tx, lease.Chain, accepted); err != nil {
			return err
		}
		if err := recordVerified(ctx, tx, lease.Chain); err != nil {
			return err
		}
		if err := repo.AdvanceEpoch(ctx, tx, lease.Chain); err != nil {
			return err
		}
		return notifyBlocks(ctx, tx, lease.Chain)
	})
	return at, err
}

// lowerAcceptance moves the watermark of L1 acceptance to a block if it is above
// that block, or if it names another hash for it.
func lowerAcceptance(ctx context.Context, tx bun.IDB, c domain.Chain, accepted *domain.BlockRef) error {
	if accepted == nil {
		return nil
	}
	_, err := tx.NewRaw(`/* repair.accepted */
		UPDATE chain_heads SET l1_block_number = ?1, l1_block_hash = ?2, l1_observed_at = now()
		WHERE chain = ?0 AND (l1_block_number > ?1 OR l1_block_number = ?1 AND l1_block_hash <> ?2)`,
		string(c), accepted.Number, accepted.Hash).Exec(ctx)
	return err
}

// RecordVerified moves the ends of the verified blocks to where they are.
func (r Repairer) RecordVerified(ctx context.Context, lease indexing.Lease) error {
	return r.writer.lead(ctx, lease, func(tx repo.Tx) error {
		if err := bound(ctx, tx, false); err != nil {
			return err
		}
		return recordVerified(ctx, tx, lease.Chain)
	})
}

// recordVerified is RecordVerified within a transaction. Partitions without a
// table of blocks are repaired later.
func recordVerified(ctx context.Context, tx bun.IDB, c domain.Chain) error {
	ranges, err := rangesAfter(ctx, tx, c, -1)
	if err != nil {
		return err
	}
	exist, err := existing(ctx, tx, c, ranges)
	if err != nil {
		return err
	}
	ranges = slices.DeleteFunc(ranges, func(r indexing.Range) bool { return !exist[leaf("blocks", c, r.From)] })
	code := model.Code(c)
	blocks := fsck{chain: c, code: code}.rows("blocks", ranges)
	for column, level := range verifiedColumns {
		if err := run(ctx, tx, "/* repair.verified_through */ UPDATE index_checkpoints c SET %[1]s = ("+verifiedThrough+") WHERE c.chain = %[4]d",
			column, slices.Index(facts.Verifications, level), blocks, code); err != nil {
			return err
		}
	}
	return nil
}

// RecordVersions is Writer.RecordVersions.
func (r Repairer) RecordVersions(ctx context.Context, lease indexing.Lease, names ...string) error {
	return r.writer.RecordVersions(ctx, lease, names...)
}

// acceptedAboveHead is true for a checkpoint c and head h whose watermark of L1
// acceptance is above both. The head is recorded when the node is asked for it,
// so the blocks that are stored next, with their acceptance, can be above it.
const acceptedAboveHead = "h.l1_block_number > greatest(h.block_number, c.block)"

// tierOutOfBounds is true for a checkpoint c and head h whose finalized tier does
// not end finality_depth blocks below the checkpoint. It may end higher after a
// reorg or a rollback, which chain_forks records, until new blocks follow.
const tierOutOfBounds = `(coalesce(c.finalized_block, c.first_block - 1) < c.block - h.finality_depth
	OR c.finalized_block > c.block - h.finality_depth
		AND NOT EXISTS (SELECT FROM chain_forks f WHERE f.chain = c.chain AND f.block >= c.finalized_block AND f.block <= c.block))`

// Discard discards the results of a kind of job; the workers compute them again.
func (r Repairer) Discard(ctx context.Context, lease indexing.Lease, kind indexing.Results) error {
	return r.writer.lead(ctx, lease, func(tx repo.Tx) error {
		if err := discard(ctx, tx, lease.Chain, kind); err != nil {
			return err
		}
		return repo.AdvanceEpoch(ctx, tx, lease.Chain)
	})
}

func discard(ctx context.Context, tx repo.Tx, c domain.Chain, kind indexing.Results) error {
	code := model.Code(c)
	switch kind {
	case indexing.Sums:
		return run(ctx, tx, `/* sums.discard */
			INSERT INTO token_summary_checkpoints (chain) VALUES (%d) ON CONFLICT (chain) DO UPDATE SET block = NULL`, code)
	case indexing.Ledgers:
		return run(ctx, tx, `/* ledgers.discard */
			INSERT INTO privacy_ledgers (chain) VALUES (%d) ON CONFLICT (chain) DO UPDATE SET block = NULL`, code)
	case indexing.Supplies:
		return run(ctx, tx, `/* supplies.discard */
			UPDATE tokens SET supply = NULL, supply_block = NULL, supply_due = '-infinity' WHERE chain = %d AND supply_block IS NOT NULL`, code)
	case indexing.Metadata:
		return run(ctx, tx, `/* metadata.discard */
			UPDATE tokens SET name = NULL, symbol = NULL, decimals = NULL, metadata_block = NULL, metadata_at = NULL, metadata_due = '-infinity'
			WHERE chain = %d AND (metadata_block IS NOT NULL OR name IS NOT NULL OR symbol IS NOT NULL OR decimals IS NOT NULL)`, code)
	case indexing.Censuses:
		if err := run(ctx, tx, "/* census.epoch */ INSERT INTO census_epochs (chain) VALUES (%d) ON CONFLICT DO NOTHING", code); err != nil {
			return err
		}
		return revokeCensuses(ctx, tx, c, 0, token.ReasonRederived)
	case indexing.Certificates:
		return run(ctx, tx, "/* certificates.discard */ DELETE FROM event_certificates WHERE chain = %d", code)
	case indexing.Pools:
		if err := run(ctx, tx, "/* pools.discard */ DELETE FROM market_pools WHERE chain = %d", code); err != nil {
			return err
		}
		return run(ctx, tx, "/* pools.rescan */ DELETE FROM market_scans WHERE chain = %d", code)
	}
	return fmt.Errorf("%s are no results of a job", kind)
}
