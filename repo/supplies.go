package repo

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"astrolabe/domain"
	"astrolabe/domain/token"
	"astrolabe/starknet"
)

// ClaimSupplies returns tokens of the blocks up to a number whose supply is to
// be read now, at most limit, those that wait longest first, and puts them off
// until the given time, so that nobody else reads them meanwhile.
func (db *DB) ClaimSupplies(ctx context.Context, c domain.Chain, upTo uint64, now, until time.Time, limit int) ([]starknet.Felt, error) {
	return db.claimTokens(ctx, claimSupplies, c, upTo, now, until, limit)
}

// StoreSupplies stores what tokens said of their supply at a finalized block
// and returns for how many; one that said nothing has none. Nothing is stored
// if the block is not of the finalized tier any more.
func (db *DB) StoreSupplies(ctx context.Context, c domain.Chain, r token.SupplyReadings) (stored int, err error) {
	if len(r.Tokens) == 0 {
		return 0, nil
	}
	tokens, supplies := make([][]byte, len(r.Tokens)), make([]*string, len(r.Tokens))
	for i, said := range r.Tokens {
		tokens[i] = said.Token[:]
		if said.Raw != nil {
			supplies[i] = new(said.Raw.String())
		}
	}
	err = pgx.BeginFunc(ctx, db.pool, func(tx pgx.Tx) error {
		// Whoever undoes finalized blocks begins with this row and waits, or was
		// here before and is seen by the next statement.
		if _, err := tx.Exec(ctx, "/* supply.lock */ SELECT FROM token_summary_checkpoints WHERE chain = $1 FOR SHARE", chainCode(c)); err != nil {
			return err
		}
		tag, err := tx.Exec(ctx, fmt.Sprintf(`/* supply.store */
			UPDATE tokens t SET supply = said.supply::numeric, supply_block = CASE WHEN said.supply IS NOT NULL THEN $1 END, supply_due = $3
			FROM unnest($4::bytea[], $5::text[]) AS said (felt, supply)
			JOIN addresses a ON a.chain = %[1]d AND a.felt = said.felt
			WHERE t.chain = %[1]d AND t.address = a.id AND coalesce(t.supply_block, -1) <= $1
				AND EXISTS (SELECT FROM index_checkpoints WHERE chain = %[1]d AND finalized_block >= $1)
				AND EXISTS (SELECT FROM blocks WHERE chain = %[1]d AND block = $1 AND hash = $2)`, chainCode(c)),
			pgx.QueryExecModeCacheStatement, int64(r.Block.Number), r.Block.Hash[:], r.Next, tokens, supplies)
		stored = int(tag.RowsAffected())
		return err
	})
	return stored, outage(err)
}
