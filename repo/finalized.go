package repo

import (
	"context"
	"fmt"
	"math"

	"github.com/jackc/pgx/v5"

	"astrolabe/domain"
	"astrolabe/domain/chain"
)

// FinalizedBlock implements chain.FinalizedBlocks.
func (db *DB) FinalizedBlock(ctx context.Context, c domain.Chain, id chain.BlockID) (*domain.BlockRef, error) {
	var (
		sql  string
		name any
	)
	switch {
	case id.Number != nil && *id.Number <= math.MaxInt32: // by blocks_place
		sql, name = `/* block.finalized */
			SELECT b.block, b.hash FROM blocks b JOIN index_checkpoints c ON c.chain = %[1]d
			WHERE b.chain = %[1]d AND b.block = $1 AND b.block <= c.finalized_block`, int64(*id.Number)
	case id.Hash != nil: // by locators_tag, then by blocks_place
		sql, name = `/* block.finalized_hash */
			SELECT b.block, b.hash FROM locators l
			CROSS JOIN LATERAL (SELECT block, hash FROM blocks WHERE chain = %[1]d AND block = l.block LIMIT 1) b
			JOIN index_checkpoints c ON c.chain = %[1]d
			WHERE l.tag = locator_tag($1) AND l.chain = %[1]d AND l.kind = 1 AND b.hash = $1 AND b.block <= c.finalized_block`, id.Hash[:]
	default:
		return nil, nil
	}
	found, err := collect(ctx, db, func(row pgx.CollectableRow) (ref domain.BlockRef, err error) {
		err = row.Scan(&ref.Number, &ref.Hash)
		return ref, err
	}, fmt.Sprintf(sql, chainCode(c)), name)
	if err != nil || len(found) == 0 {
		return nil, err
	}
	return &found[0], nil
}
