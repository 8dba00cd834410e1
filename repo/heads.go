package repo

import (
	"context"

	"astrolabe/domain/chain"
	"astrolabe/domain/indexing"
)

// RecordHead stores what the leader of a chain has learned. Without a live
// lease of the same epoch nothing is written and ErrLeaseLost comes back. A
// head without a block keeps the last one that was known, with its age. L1
// never takes an acceptance back, so its watermark only grows.
func (db *DB) RecordHead(ctx context.Context, lease indexing.Lease, head chain.Head) error {
	var (
		number *int64
		hash   []byte
		reason *string
	)
	if head.Block != nil {
		number, hash = new(int64(head.Block.Number)), head.Block.Hash[:]
	}
	if head.ReasonCode != "" {
		reason = &head.ReasonCode
	}
	tag, err := db.pool.Exec(ctx, `/* head.record */
		WITH leader AS (
			SELECT chain FROM index_leases
			WHERE chain = $1 AND holder = $2 AND epoch = $3 AND expires_at > now()
			FOR SHARE)
		INSERT INTO chain_heads AS known (chain, state, reason_code, block_number, block_hash, finality_depth, l1_block_number, l1_observed_at, observed_at, recorded_at)
		SELECT chain, $4, $5, $6::bigint, $7::bytea, $8::bigint, $9::bigint, CASE WHEN $9::bigint IS NOT NULL THEN now() END, now(), now() FROM leader
		ON CONFLICT (chain) DO UPDATE SET
			state = excluded.state, reason_code = excluded.reason_code,
			block_number = coalesce(excluded.block_number, known.block_number),
			block_hash = coalesce(excluded.block_hash, known.block_hash),
			finality_depth = excluded.finality_depth,
			l1_block_number = greatest(excluded.l1_block_number, known.l1_block_number),
			l1_observed_at = CASE WHEN known.l1_block_number IS NULL OR excluded.l1_block_number > known.l1_block_number
				THEN excluded.l1_observed_at ELSE known.l1_observed_at END,
			observed_at = CASE WHEN excluded.block_number IS NULL THEN known.observed_at ELSE excluded.observed_at END,
			recorded_at = excluded.recorded_at`,
		string(lease.Chain), lease.Holder, lease.Epoch, string(head.State), reason, number, hash, int64(head.Depth), head.L1)
	if err != nil {
		return outage(err)
	}
	if tag.RowsAffected() == 0 {
		return indexing.ErrLeaseLost
	}
	return nil
}
