package repo

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"astrolabe/domain"
	"astrolabe/domain/chain"
	"astrolabe/domain/indexing"
	"astrolabe/starknet"
)

// Heads implements chain.Heads.
func (db *DB) Heads(ctx context.Context) (map[domain.Chain]chain.Head, error) {
	// At most one row per chain: a scan of the whole table, with the lease,
	// checkpoint, epoch and ranges of each by primary key. The database's clock judges
	// the lease. A replica is always read-only, which says nothing.
	rows, err := db.pool.Query(ctx, `/* head.list */
		SELECT h.chain, h.state, coalesce(h.reason_code, ''), h.block_number, h.block_hash, coalesce(h.finality_depth, 0),
			h.l1_block_number, h.l1_observed_at, h.observed_at, h.recorded_at > h.observed_at, coalesce(l.expires_at > now(), false),
			current_setting('transaction_read_only')::boolean AND NOT pg_is_in_recovery(),
			c.first_block, coalesce(r.from_block - 1, c.block), c.finalized_block, CASE WHEN r.from_block IS NULL THEN c.hash END, coalesce(e.epoch, 0)
		FROM chain_heads h
		LEFT JOIN index_leases l ON l.chain = h.chain
		LEFT JOIN index_checkpoints c ON c.chain = CASE h.chain WHEN 'SN_MAIN' THEN 1 ELSE 2 END
		LEFT JOIN fact_epochs e ON e.chain = CASE h.chain WHEN 'SN_MAIN' THEN 1 ELSE 2 END
		LEFT JOIN LATERAL (
			SELECT min(from_block) AS from_block FROM index_ranges WHERE chain = c.chain AND state <> 'ready'
		) r ON true`, pgx.QueryExecModeCacheStatement)
	if err != nil {
		return nil, outage(err)
	}
	heads := make(map[domain.Chain]chain.Head)
	var (
		c           domain.Chain
		head        chain.Head
		number      *uint64
		hash        *starknet.Felt
		l1Since     *time.Time
		first, last *int64
		finalized   *uint64
		tip         *starknet.Felt
	)
	_, err = pgx.ForEachRow(rows, []any{
		&c, &head.State, &head.ReasonCode, &number, &hash, &head.Depth, &head.L1, &l1Since, &head.ObservedAt, &head.Stale, &head.Led, &head.ReadOnly,
		&first, &last, &finalized, &tip, &head.Epoch,
	}, func() error {
		found := head
		if number != nil && hash != nil {
			found.Block = &domain.BlockRef{Number: *number, Hash: *hash}
		}
		if l1Since != nil {
			found.L1Since = *l1Since
		}
		if found.Coverage = coverage(first, last, finalized); found.Coverage != nil {
			found.Coverage.Tip = tip
		}
		heads[c] = found
		return nil
	})
	return heads, outage(err)
}

// coverage is what readers see of the blocks from first to last.
func coverage(first, last *int64, finalized *uint64) *chain.Coverage {
	if first == nil || last == nil || *last < *first {
		return nil
	}
	c := &chain.Coverage{First: uint64(*first), Last: uint64(*last)}
	if finalized != nil {
		c.Finalized = new(min(*finalized, c.Last))
	}
	return c
}

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
