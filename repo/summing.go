package repo

import (
	"context"

	"github.com/jackc/pgx/v5"

	"astrolabe/domain"
)

// unsum takes the sums back that rest on blocks above last, which are about to
// change: they are made anew. It waits for whoever is adding to them, and
// whoever adds next sees what the transaction did.
func unsum(ctx context.Context, tx pgx.Tx, c domain.Chain, last int64) error {
	return run(ctx, tx, `/* summary.undo */
		UPDATE token_summary_checkpoints SET block = CASE WHEN block <= %d THEN block END WHERE chain = %d`, last, chainCode(c))
}
