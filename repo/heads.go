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
	// At most one row per chain: a scan of the whole table.
	rows, err := db.pool.Query(ctx, `/* head.list */
		SELECT chain, state, coalesce(reason_code, ''), block_number, block_hash, observed_at
		FROM chain_heads`, pgx.QueryExecModeCacheStatement)
	if err != nil {
		return nil, err
	}
	heads := make(map[domain.Chain]chain.Head)
	var (
		c      domain.Chain
		head   chain.Head
		number *int64
		hash   *starknet.Felt
	)
	_, err = pgx.ForEachRow(rows, []any{&c, &head.State, &head.ReasonCode, &number, &hash, &head.ObservedAt}, func() error {
		head.Block = nil
		if number != nil && hash != nil {
			head.Block = &domain.BlockRef{Number: uint64(*number), Hash: *hash}
		}
		heads[c] = head
		return nil
	})
	return heads, err
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
		return err
	}
	if tag.RowsAffected() == 0 {
		return chain.ErrLeaseLost
	}
	return nil
}
