package index

import (
	"context"
	"fmt"

	"github.com/uptrace/bun"

	"astrolabe/domain"
	"astrolabe/repo"
	"astrolabe/repo/model"
)

// advanceEpoch begins a new epoch of a chain, because facts of final blocks
// change with the same transaction. Every process hears of it when that
// commits.
func advanceEpoch(ctx context.Context, tx bun.IDB, c domain.Chain) error {
	var epoch int64
	err := tx.NewRaw(`/* epoch.advance */
		INSERT INTO fact_epochs AS known (chain, epoch) VALUES (?, 1)
		ON CONFLICT (chain) DO UPDATE SET epoch = known.epoch + 1
		RETURNING epoch`, model.Code(c)).Scan(ctx, &epoch)
	if err != nil {
		return err
	}
	return repo.Notify(ctx, tx, repo.EpochsChannel, fmt.Sprintf("%s %d", c, epoch))
}
