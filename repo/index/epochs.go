package index

import (
	"context"
	"fmt"

	"github.com/uptrace/bun"

	"astrolabe/domain"
	"astrolabe/repo"
	"astrolabe/repo/model"
)

// factChanges is the channel on which processes hear of a chain's new epoch.
const factChanges = "fact_epochs"

// Epochs tells when facts of final blocks change, which happens only when an
// operator rolls an index back or derives rows again.
type Epochs struct{ db *repo.DB }

// NewEpochs makes the repository of epochs.
func NewEpochs(db *repo.DB) Epochs { return Epochs{db} }

// Listen calls on for every new epoch of a chain until ctx ends. state hears
// true when all of them are heard from now on, and false when some may be
// missed.
func (e Epochs) Listen(ctx context.Context, on func(c domain.Chain, epoch uint64), state func(up bool)) {
	e.db.Listen(ctx, []string{factChanges}, func(_, payload string) {
		var (
			c     domain.Chain
			epoch uint64
		)
		if n, err := fmt.Sscanf(payload, "%s %d", &c, &epoch); n == 2 && err == nil {
			on(c, epoch)
		}
	}, state)
}

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
	return repo.Notify(ctx, tx, factChanges, fmt.Sprintf("%s %d", c, epoch))
}
