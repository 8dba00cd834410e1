package onchain

import (
	"context"

	"astrolabe/domain"
	"astrolabe/domain/chain"
	"astrolabe/repo"
	"astrolabe/repo/model"
)

// Forks reads which blocks were undone by reorgs.
type Forks struct{ db *repo.DB }

var _ chain.ForkStore = Forks{}

// NewForks returns the repository of forks.
func NewForks(db *repo.DB) Forks { return Forks{db} }

// forksAfter reads the forks after number $1 by the primary key. It returns the
// number of the newest fork and the lowest block that they kept. There are few:
// a client that follows the chain misses at most a few hours.
const forksAfter = `/* fork.after */
	SELECT max(number) OVER () AS number, block, hash FROM chain_forks
	WHERE chain = %[1]d AND number > $1 ORDER BY block NULLS FIRST LIMIT 1`

// ForkAfter implements chain.ForkStore.
func (r Forks) ForkAfter(ctx context.Context, c domain.Chain, number uint64) (*chain.Fork, error) {
	rows, err := repo.Select[model.Fork](ctx, r.db.Read(), repo.Text(forksAfter, model.Code(c)), int64(number))
	if err != nil || len(rows) == 0 {
		return nil, err
	}
	fork := &chain.Fork{Number: uint64(rows[0].Number)}
	if block, hash := rows[0].Block, rows[0].Hash; block != nil && hash != nil {
		fork.Ancestor = &domain.BlockRef{Number: uint64(*block), Hash: *hash}
	}
	return fork, nil
}
