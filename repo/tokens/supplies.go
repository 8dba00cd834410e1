package tokens

import (
	"context"
	"time"

	"github.com/uptrace/bun"
	"github.com/uptrace/bun/dialect/pgdialect"

	"astrolabe/domain"
	"astrolabe/domain/token"
	"astrolabe/repo"
	"astrolabe/repo/model"
	"astrolabe/starknet"
)

// Supplies stores the total supplies that tokens report. Tokens reads them.
type Supplies struct{ db *repo.DB }

// NewSupplies returns the repository of supplies.
func NewSupplies(db *repo.DB) Supplies { return Supplies{db} }

// ClaimSupplies claims at most limit tokens, first seen in a block up to upTo,
// whose supply is due, the longest waiting first. It defers them until the
// given time, so that no other process reads them meanwhile.
func (r Supplies) ClaimSupplies(ctx context.Context, c domain.Chain, upTo uint64, now, until time.Time, limit int) ([]starknet.Felt, error) {
	return supplyDue.claim(ctx, r.db, c, upTo, now, until, limit)
}

// StoreSupplies stores the supplies that tokens reported at a finalized block
// and returns for how many tokens. A token that reported none has none. Nothing
// is stored if the block is no longer in the finalized tier.
func (r Supplies) StoreSupplies(ctx context.Context, c domain.Chain, readings token.SupplyReadings) (stored int, err error) {
	if len(readings.Tokens) == 0 {
		return 0, nil
	}
	felts, supplies := make([]starknet.Felt, len(readings.Tokens)), make([]*string, len(readings.Tokens))
	for i, t := range readings.Tokens {
		felts[i] = t.Token
		if t.Raw != nil {
			supplies[i] = new(t.Raw.String())
		}
	}
	err = r.db.Write().RunInTx(ctx, nil, func(ctx context.Context, tx bun.Tx) error {
		// An undo of finalized blocks locks this row first. So it either waits
		// for this transaction, or has committed and is visible to the next
		// statement.
		if _, err := tx.NewRaw("/* supply.lock */ SELECT FROM token_summary_checkpoints WHERE chain = ? FOR SHARE", model.Code(c)).Exec(ctx); err != nil {
			return err
		}
		result, err := tx.NewRaw(`/* supply.store */
			UPDATE tokens t SET supply = said.supply::numeric, supply_block = CASE WHEN said.supply IS NOT NULL THEN ?1 END, supply_due = ?3
			FROM unnest(?4::bytea[], ?5::text[]) AS said (felt, supply)
			JOIN addresses a ON a.chain = ?0 AND a.felt = said.felt
			WHERE t.chain = ?0 AND t.address = a.id AND coalesce(t.supply_block, -1) <= ?1
				AND EXISTS (SELECT FROM index_checkpoints WHERE chain = ?0 AND finalized_block >= ?1)
				AND EXISTS (SELECT FROM blocks WHERE chain = ?0 AND block = ?1 AND hash = ?2)`,
			model.Code(c), model.BlockNumber(readings.Block.Number), readings.Block.Hash, readings.Next, pgdialect.Array(felts), pgdialect.Array(supplies)).Exec(ctx)
		stored, err = repo.Changed(result, err)
		return err
	})
	return stored, repo.Failure(ctx, err)
}
