package index

import (
	"context"

	"github.com/uptrace/bun"

	"astrolabe/domain"
)

// recordAcceptance raises the acceptance on L1 to a stored block whose own
// status says so. It commits with the block, so that readers never see one
// without the other. Before the first head of the node is recorded, the index
// is backfilling.
func recordAcceptance(ctx context.Context, tx bun.IDB, c domain.Chain, block *domain.BlockRef) error {
	if block == nil {
		return nil
	}
	_, err := tx.NewRaw(`/* acceptance.record */
		INSERT INTO chain_heads AS known (chain, state, observed_at, recorded_at, l1_block_number, l1_block_hash, l1_observed_at)
		VALUES (?, 'backfilling', now(), now(), ?, ?, now())
		ON CONFLICT (chain) DO UPDATE SET
			l1_block_number = excluded.l1_block_number, l1_block_hash = excluded.l1_block_hash, l1_observed_at = excluded.l1_observed_at
		WHERE known.l1_block_number IS NULL OR known.l1_block_number < excluded.l1_block_number`,
		string(c), block.Number, block.Hash).Exec(ctx)
	return err
}
