package repo

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"astrolabe/domain"
	"astrolabe/domain/indexing"
	"astrolabe/starknet"
)

// Shown returns the tokens that blocks before the given one showed first.
func (db *DB) Shown(ctx context.Context, c domain.Chain, before uint64) (indexing.FirstSeen, error) {
	rows, err := db.pool.Query(ctx, fmt.Sprintf(`/* token.shown */
		SELECT a.felt, t.block FROM tokens t JOIN addresses a ON a.chain = %[1]d AND a.id = t.address
		WHERE t.chain = %[1]d AND t.block < $1`, chainCode(c)), int64(before))
	if err != nil {
		return nil, outage(err)
	}
	shown := make(indexing.FirstSeen)
	var (
		token starknet.Felt
		block uint64
	)
	_, err = pgx.ForEachRow(rows, []any{&token, &block}, func() error {
		shown[token] = block
		return nil
	})
	return shown, outage(err)
}
