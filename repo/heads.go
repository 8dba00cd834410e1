package repo

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"astrolabe/domain"
	"astrolabe/domain/chain"
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
