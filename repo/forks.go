package repo

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5"

	"astrolabe/domain"
	"astrolabe/domain/chain"
	"astrolabe/starknet"
)

// BlockChanges is the channel that tells that readers see other blocks of a
// chain: more of them, or fewer after a fork.
const BlockChanges = "chain_blocks"

// ListenBlocks calls on whenever readers may see other blocks of a chain, until
// ctx ends. What was missed while the connection was broken is made up for by
// a call for every chain.
func (db *DB) ListenBlocks(ctx context.Context, on func(domain.Chain)) {
	db.Listen(ctx, []string{BlockChanges}, func(_, payload string) {
		if c, err := domain.ParseChain(payload); err == nil {
			on(c)
		}
	}, func(up bool) {
		for _, c := range domain.Chains {
			if up {
				on(c)
			}
		}
	})
}

// ForkAfter implements chain.ForkStore.
func (db *DB) ForkAfter(ctx context.Context, c domain.Chain, number uint64) (*chain.Fork, error) {
	var (
		fork  chain.Fork
		block *uint64
		hash  *starknet.Felt
	)
	// The forks after one are few: those of a few hours for whoever follows.
	err := db.reader.QueryRow(ctx, `/* fork.after */
		SELECT max(number) OVER (), block, hash FROM chain_forks
		WHERE chain = $1 AND number > $2 ORDER BY block NULLS FIRST LIMIT 1`, chainCode(c), int64(number)).Scan(&fork.Number, &block, &hash)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, nil
	}
	if err != nil {
		return nil, readFailure(ctx, err)
	}
	if block != nil && hash != nil {
		fork.Ancestor = &domain.BlockRef{Number: *block, Hash: *hash}
	}
	return &fork, nil
}
