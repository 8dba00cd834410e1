package tokens

import (
	"context"
	"time"

	"github.com/uptrace/bun/dialect/pgdialect"

	"astrolabe/domain"
	"astrolabe/domain/facts"
	"astrolabe/domain/token"
	"astrolabe/repo"
	"astrolabe/repo/model"
	"astrolabe/starknet"
)

// Tokens reads tokens and stores their metadata.
type Tokens struct{ db *repo.DB }

var _ token.Store = Tokens{}

// NewTokens returns the repository of tokens.
func NewTokens(db *repo.DB) Tokens { return Tokens{db} }

// tokenRow is a row of tokenColumns for one of several addresses.
type tokenRow struct {
	Parent      int64              `bun:"parent"`
	Standard    model.Standard     `bun:"standard"`
	Name        *string            `bun:"name"`
	Symbol      *string            `bun:"symbol"`
	Decimals    *model.Decimals    `bun:"decimals"`
	MetadataAt  *time.Time         `bun:"metadata_at"`
	Supply      *starknet.Uint256  `bun:"supply"`
	SupplyBlock *model.BlockNumber `bun:"supply_block"`
}

// tokenColumns are the columns of a token t.
const tokenColumns = "t.standard, t.name, t.symbol, t.decimals, t.metadata_at, t.supply, t.supply_block" //nolint:gosec // Tokens of the chain.

// byAddress joins the token t at each address of $1, whose id is a.id, by
// (chain, felt) of addresses and then by primary key.
const byAddress = `
	FROM unnest($1::bytea[]) WITH ORDINALITY AS p (felt, parent)
	CROSS JOIN LATERAL (SELECT id FROM addresses WHERE chain = %[1]d AND felt = p.felt LIMIT 1) a
	CROSS JOIN LATERAL (
		SELECT standard, name, symbol, decimals, metadata_at, supply, supply_block
		FROM tokens WHERE chain = %[1]d AND address = a.id LIMIT 1
	) t`

// token converts the row.
func (r *tokenRow) token(addresses []starknet.Felt) token.Token {
	t := token.Token{
		Address: addresses[r.Parent-1], Standard: facts.Standard(r.Standard), MetadataAt: inUTC(r.MetadataAt),
		Metadata: token.Metadata{Name: r.Name, Symbol: r.Symbol, Decimals: (*uint8)(r.Decimals)},
	}
	if r.Supply != nil && r.SupplyBlock != nil {
		t.Supply = &token.SupplyReading{Raw: *r.Supply, Block: uint64(*r.SupplyBlock)}
	}
	return t
}

// inUTC converts a time to UTC and preserves nil.
func inUTC(t *time.Time) *time.Time {
	if t == nil {
		return nil
	}
	return new(t.UTC())
}

// Tokens implements token.Store.
func (r Tokens) Tokens(ctx context.Context, c domain.Chain, addresses []starknet.Felt) ([]*token.Token, error) {
	rows, err := repo.Select[tokenRow](ctx, r.db.Read(),
		repo.Text("/* token.find */ SELECT p.parent, "+tokenColumns+byAddress, model.Code(c)), model.Bytes(addresses))
	if err != nil {
		return nil, err
	}
	tokens := make([]*token.Token, len(addresses))
	for i := range rows {
		tokens[rows[i].Parent-1] = new(rows[i].token(addresses))
	}
	return tokens, nil
}

// ClaimTokens claims at most limit tokens, first seen in a block up to upTo,
// whose metadata is due, the longest waiting first. It defers them until the
// given time, so that no other process reads them meanwhile.
func (r Tokens) ClaimTokens(ctx context.Context, c domain.Chain, upTo uint64, now, until time.Time, limit int) ([]starknet.Felt, error) {
	return metadataDue.claim(ctx, r.db, c, upTo, now, until, limit)
}

// StoreMetadata stores the metadata that tokens reported at a block and returns
// for how many tokens. Tokens that were removed meanwhile are ignored. Nothing
// is stored if the index no longer holds the block.
func (r Tokens) StoreMetadata(ctx context.Context, c domain.Chain, reading token.Reading) (stored int, err error) {
	if len(reading.Tokens) == 0 {
		return 0, nil
	}
	felts := make([]starknet.Felt, len(reading.Tokens))
	names, symbols := make([]*string, len(reading.Tokens)), make([]*string, len(reading.Tokens))
	decimals := make([]*uint8, len(reading.Tokens))
	for i := range reading.Tokens {
		t := &reading.Tokens[i]
		felts[i], names[i], symbols[i], decimals[i] = t.Token, t.Name, t.Symbol, t.Decimals
	}
	// Uses primary keys and (chain, felt) of addresses.
	result, err := r.db.Write().NewRaw(`/* token.describe */
		UPDATE tokens t SET name = said.name, symbol = said.symbol, decimals = said.decimals,
			metadata_block = ?1, metadata_at = ?3, metadata_due = ?4
		FROM (
			SELECT k.address, s.name, s.symbol, s.decimals
			FROM unnest(?5::bytea[], ?6::text[], ?7::text[], ?8::smallint[]) AS s (felt, name, symbol, decimals)
			JOIN addresses a ON a.chain = ?0 AND a.felt = s.felt
			JOIN tokens k ON k.chain = ?0 AND k.address = a.id
			FOR UPDATE OF k SKIP LOCKED
		) said
		WHERE t.chain = ?0 AND t.address = said.address
			AND EXISTS (SELECT FROM blocks WHERE chain = ?0 AND block = ?1 AND hash = ?2)`,
		model.Code(c), model.BlockNumber(reading.Block.Number), reading.Block.Hash, reading.At, reading.Next,
		pgdialect.Array(felts), pgdialect.Array(names), pgdialect.Array(symbols), pgdialect.Array(decimals)).Exec(ctx)
	return repo.Changed(result, err)
}
