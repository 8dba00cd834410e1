package repo

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"astrolabe/domain"
)

// advanceEpoch begins a new epoch of a chain, because facts of final blocks
// change with the same transaction. It tells every process when that commits.
func advanceEpoch(ctx context.Context, tx pgx.Tx, c domain.Chain) error {
	var epoch uint64
	err := tx.QueryRow(ctx, `/* epoch.advance */
		INSERT INTO fact_epochs AS known (chain, epoch) VALUES ($1, 1)
		ON CONFLICT (chain) DO UPDATE SET epoch = known.epoch + 1
		RETURNING epoch`, chainCode(c)).Scan(&epoch)
	if err != nil {
		return err
	}
	return tell(ctx, tx, EpochsChannel, fmt.Sprintf("%s %d", c, epoch))
}
