package onchain

import (
	"context"
	"fmt"

	"astrolabe/domain"
	"astrolabe/repo"
)

// ListenBlocks calls on whenever the visible blocks of a chain may have
// changed, until ctx ends. After a lost connection it calls on for every chain,
// because notifications may have been missed.
func ListenBlocks(ctx context.Context, db *repo.DB, on func(domain.Chain)) {
	db.Listen(ctx, []string{repo.BlocksChannel}, func(_, payload string) {
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

// ListenEpochs calls on for every new epoch of a chain's facts until ctx ends.
// state is called with true once notifications are being received and with false
// when some may be missed.
func ListenEpochs(ctx context.Context, db *repo.DB, on func(c domain.Chain, epoch uint64), state func(up bool)) {
	db.Listen(ctx, []string{repo.EpochsChannel}, func(_, payload string) {
		var (
			c     domain.Chain
			epoch uint64
		)
		if n, err := fmt.Sscanf(payload, "%s %d", &c, &epoch); n == 2 && err == nil {
			on(c, epoch)
		}
	}, state)
}
