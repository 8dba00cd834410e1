package repo

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5"

	"astrolabe/domain"
	"astrolabe/domain/chain"
	"astrolabe/starknet"
)

// blockChanges is the channel that tells that readers see other blocks of a
// chain: more of them, or fewer after a fork.
const blockChanges = "chain_blocks"

// tellBlocks tells every process that listens, when the transaction commits.
func tellBlocks(ctx context.Context, tx pgx.Tx, c domain.Chain) error {
	return tell(ctx, tx, blockChanges, string(c))
}

// ListenBlocks calls on whenever readers may see other blocks of a chain, until
// ctx ends. What was missed while the connection was broken is made up for by
// a call for every chain.
func (db *DB) ListenBlocks(ctx context.Context, on func(domain.Chain)) {
	db.Listen(ctx, []string{blockChanges}, func(_, payload string) {
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

// recordFork remembers that the blocks above one were undone. The caller holds
// the checkpoint, so that forks are counted one by one.
func recordFork(ctx context.Context, tx pgx.Tx, c domain.Chain, to *domain.BlockRef) error {
	var (
		number *int64
		hash   []byte
	)
	if to != nil {
		number, hash = new(int64(to.Number)), to.Hash[:]
	}
	_, err := tx.Exec(ctx, `/* fork.add */
		INSERT INTO chain_forks (chain, number, block, hash)
		SELECT $1::smallint, coalesce(max(number), 0) + 1, $2::integer, $3::bytea FROM chain_forks WHERE chain = $1::smallint`, chainCode(c), number, hash)
	return err
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
