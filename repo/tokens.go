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

// ClaimTokens returns tokens of the blocks up to a number whose metadata is to
// be read now, at most limit, those that wait longest first, and puts them off
// until the given time, so that nobody else reads them meanwhile.
func (db *DB) ClaimTokens(ctx context.Context, c domain.Chain, upTo uint64, now, until time.Time, limit int) ([]starknet.Felt, error) {
	return db.claimTokens(ctx, claimMetadata, c, upTo, now, until, limit)
}

// StoreMetadata stores what tokens said at a block and returns for how many.
// Tokens that were removed since are left out, and all are if the index no
// longer holds the block: it was undone, and with it what they said.
func (db *DB) StoreMetadata(ctx context.Context, c domain.Chain, r token.Reading) (stored int, err error) {
	if len(r.Tokens) == 0 {
		return 0, nil
	}
	tokens := make([][]byte, len(r.Tokens))
	names, symbols := make([]*string, len(r.Tokens)), make([]*string, len(r.Tokens))
	decimals := make([]*int16, len(r.Tokens))
	for i := range r.Tokens {
		said := &r.Tokens[i]
		tokens[i], names[i], symbols[i] = said.Token[:], said.Name, said.Symbol
		if said.Decimals != nil {
			decimals[i] = new(int16(*said.Decimals))
		}
	}
	// Everything by its primary key or by (chain, felt) of addresses.
	tag, err := db.pool.Exec(ctx, fmt.Sprintf(`/* token.describe */
		UPDATE tokens t SET name = said.name, symbol = said.symbol, decimals = said.decimals,
			metadata_block = $1, metadata_at = $3, metadata_due = $4
		FROM (
			SELECT k.address, s.name, s.symbol, s.decimals
			FROM unnest($5::bytea[], $6::text[], $7::text[], $8::smallint[]) AS s (felt, name, symbol, decimals)
			JOIN addresses a ON a.chain = %[1]d AND a.felt = s.felt
			JOIN tokens k ON k.chain = %[1]d AND k.address = a.id
			FOR UPDATE OF k SKIP LOCKED
		) said
		WHERE t.chain = %[1]d AND t.address = said.address
			AND EXISTS (SELECT FROM blocks WHERE chain = %[1]d AND block = $1 AND hash = $2)`, chainCode(c)),
		pgx.QueryExecModeCacheStatement, int64(r.Block.Number), r.Block.Hash[:], r.At, r.Next, tokens, names, symbols, decimals)
	return int(tag.RowsAffected()), outage(err)
}
