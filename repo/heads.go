package repo

import (
	"context"

	"github.com/jackc/pgx/v5"

	"astrolabe/domain"
	"astrolabe/domain/chain"
	"astrolabe/starknet"
)

// Heads implements chain.Heads.
func (db *DB) Heads(ctx context.Context) (map[domain.Chain]chain.Head, error) {
	// At most one row per chain: a scan of the whole table, with the lease of
	// each by its primary key. The database's clock judges the lease.
	rows, err := db.pool.Query(ctx, `/* head.list */
		SELECT h.chain, h.state, coalesce(h.reason_code, ''), h.block_number, h.block_hash, h.observed_at,
			coalesce(l.expires_at > now(), false)
		FROM chain_heads h LEFT JOIN index_leases l ON l.chain = h.chain`, pgx.QueryExecModeCacheStatement)
	if err != nil {
		return nil, outage(err)
	}
	heads := make(map[domain.Chain]chain.Head)
	var (
		c      domain.Chain
		head   chain.Head
		number *int64
		hash   *starknet.Felt
	)
	_, err = pgx.ForEachRow(rows, []any{&c, &head.State, &head.ReasonCode, &number, &hash, &head.ObservedAt, &head.Led}, func() error {
		head.Block = nil
		if number != nil && hash != nil {
			head.Block = &domain.BlockRef{Number: uint64(*number), Hash: *hash}
		}
		heads[c] = head
		return nil
	})
	return heads, outage(err)
}

// RecordHead stores what the leader of a chain has learned. Without a live
// lease of the same epoch nothing is written and ErrLeaseLost comes back. A
// head without a block keeps the last block that was known.
func (db *DB) RecordHead(ctx context.Context, lease chain.Lease, head chain.Head) error {
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
		INSERT INTO chain_heads AS known (chain, state, reason_code, block_number, block_hash, observed_at)
		SELECT chain, $4, $5, $6::bigint, $7::bytea, now() FROM leader
		ON CONFLICT (chain) DO UPDATE SET
			state = excluded.state, reason_code = excluded.reason_code,
			block_number = coalesce(excluded.block_number, known.block_number),
			block_hash = coalesce(excluded.block_hash, known.block_hash),
			observed_at = excluded.observed_at`,
		string(lease.Chain), lease.Holder, lease.Epoch, string(head.State), reason, number, hash)
	if err != nil {
		return outage(err)
	}
	if tag.RowsAffected() == 0 {
		return chain.ErrLeaseLost
	}
	return nil
}
