package index

import (
	"context"
	"math"

	"github.com/uptrace/bun"

	"astrolabe/domain"
	"astrolabe/repo/model"
)

// Results of jobs are retracted in the transaction that undoes the blocks or
// rewrites the rows they were computed from.

// retractSums retracts token sums and supplies at finalized blocks above last.
func retractSums(ctx context.Context, tx bun.IDB, c domain.Chain, last int64) error {
	if err := resetSums(ctx, tx, c, last); err != nil {
		return err
	}
	return run(ctx, tx, `/* supply.undo */ UPDATE tokens SET supply = NULL, supply_block = NULL, supply_due = '-infinity'
		WHERE chain = %d AND supply_block > %d`, model.Code(c), last)
}

// resetSums clears the sums that include blocks above last; the job rebuilds
// them. It waits for a job that is adding to them, and the next job sees this
// transaction's changes.
func resetSums(ctx context.Context, tx bun.IDB, c domain.Chain, last int64) error {
	return run(ctx, tx, `/* summary.undo */
		UPDATE token_summary_checkpoints SET block = CASE WHEN block <= %d THEN block END WHERE chain = %d`, last, model.Code(c))
}

// resetLedger empties the flow ledger of privacy pools if it includes blocks
// above last; the job builds it again. Like resetSums, it locks the ledger's row
// wherever it stands, so that it waits for a job that is extending it.
func resetLedger(ctx context.Context, tx bun.IDB, c domain.Chain, last int64) error {
	return run(ctx, tx, `/* privacy.undo */
		UPDATE privacy_ledgers SET block = CASE WHEN block <= %d THEN block END WHERE chain = %d`, last, model.Code(c))
}

// retractReadings retracts market pools, certificates and metadata that depend
// on blocks above last. Pools are scanned, certificates built and metadata read
// again from there on.
func retractReadings(ctx context.Context, tx bun.IDB, c domain.Chain, last int64) error {
	code := model.Code(c)
	if err := run(ctx, tx, "/* market_pools.remove */ DELETE FROM market_pools WHERE chain = %d AND block > %d", code, last); err != nil {
		return err
	}
	if err := run(ctx, tx, "/* certificate.undo */ DELETE FROM event_certificates WHERE chain = %d AND through_block > %d", code, last); err != nil {
		return err
	}
	if err := run(ctx, tx, "/* token.unread */ UPDATE tokens SET metadata_due = '-infinity' WHERE chain = %d AND metadata_block > %d", code, last); err != nil {
		return err
	}
	return run(ctx, tx, "/* market.unscan */ UPDATE market_scans SET block = %[2]d, tx = %[3]d, log = %[3]d WHERE chain = %[1]d AND block > %[2]d",
		code, last, math.MaxInt16)
}

// revokeCensuses revokes every census at or above a block. Censuses that are
// being built are not published, and their tokens are due at once. Policies
// that were evaluated there are evaluated again. It uses the tables' indexes on
// block, which find nothing when only the head is undone.
func revokeCensuses(ctx context.Context, tx bun.IDB, c domain.Chain, from int64, reason string) error {
	if err := run(ctx, tx, "/* census.next */ UPDATE census_epochs SET epoch = epoch + 1 WHERE chain = %d", model.Code(c)); err != nil {
		return err
	}
	_, err := tx.NewRaw(`/* census.revoke */
		WITH revoked AS (
			UPDATE census_generations SET status = 'revoked', reason = ?2, checked_at = now()
			WHERE chain = ?0 AND block >= ?1 AND status <> 'revoked' RETURNING token
		), unjudged AS (
			DELETE FROM census_policies WHERE chain = ?0 AND block >= ?1 RETURNING token
		)
		UPDATE tokens SET census_due = '-infinity'
		WHERE chain = ?0 AND address IN (SELECT token FROM revoked UNION SELECT token FROM unjudged)`,
		model.Code(c), from, reason).Exec(ctx)
	return err
}
