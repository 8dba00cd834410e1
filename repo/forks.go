package repo

import (
	"context"

	"github.com/jackc/pgx/v5"

	"astrolabe/domain"
)

// tellBlocks tells every process that listens, when the transaction commits.
func tellBlocks(ctx context.Context, tx pgx.Tx, c domain.Chain) error {
	return tell(ctx, tx, BlocksChannel, string(c))
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
