package repo

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"astrolabe/domain"
)

// factChanges is the channel that tells of a chain's new epoch.
const factChanges = "fact_epochs"

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
	return tell(ctx, tx, factChanges, fmt.Sprintf("%s %d", c, epoch))
}

// ListenEpochs calls on for every new epoch of a chain until ctx ends. state
// hears true when all of them are heard from now on, and false when some may
// be missed.
func (db *DB) ListenEpochs(ctx context.Context, on func(c domain.Chain, epoch uint64), state func(up bool)) {
	db.Listen(ctx, []string{factChanges}, func(_, payload string) {
		var (
			c     domain.Chain
			epoch uint64
		)
		if n, err := fmt.Sscanf(payload, "%s %d", &c, &epoch); n == 2 && err == nil {
			on(c, epoch)
		}
	}, state)
}
