package repo

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"astrolabe/domain"
	"astrolabe/domain/token"
	"astrolabe/starknet"
)

// describedColumns are the columns of a token t as readers see it.
const describedColumns = "t.standard, t.name, t.symbol, t.decimals, t.metadata_at, t.supply, t.supply_block"

// describedAt joins the token t at each address of $1, whose id is a.id: by
// (chain, felt) of addresses, then by primary key.
const describedAt = `
	FROM unnest($1::bytea[]) WITH ORDINALITY AS p (felt, parent)
	CROSS JOIN LATERAL (SELECT id FROM addresses WHERE chain = %[1]d AND felt = p.felt LIMIT 1) a
	CROSS JOIN LATERAL (
		SELECT standard, name, symbol, decimals, metadata_at, supply, supply_block
		FROM tokens WHERE chain = %[1]d AND address = a.id LIMIT 1
	) t`

// Tokens implements token.Store.
func (db *DB) Tokens(ctx context.Context, c domain.Chain, addresses []starknet.Felt) ([]*token.Token, error) {
	found, err := collect(ctx, db, func(row pgx.CollectableRow) (child[token.Token], error) {
		f, err := collectFields(row)
		if err != nil {
			return child[token.Token]{}, err
		}
		parent := int(f.int8())
		t := tokenFields(&f)
		return child[token.Token]{parent, t}, f.damage("tokens")
	}, fmt.Sprintf("/* token.find */ SELECT p.parent, "+describedColumns+describedAt, chainCode(c)), feltBytes(addresses))
	tokens := make([]*token.Token, len(addresses))
	for i := range found {
		at := found[i].parent - 1
		tokens[at] = &found[i].row
		tokens[at].Address = addresses[at]
	}
	return tokens, err
}

// countedTokens adds what is counted. The sums of a token are found by primary
// key; transfers above them along transfers_token, at most %[2]d and one, and
// whoever takes part in them by the primary key of token_parties. Sums are
// none while their checkpoint is null.
const countedTokens = `/* token.summaries */
	SELECT p.parent, ` + describedColumns + `,
		(i.first_block = 0 OR EXISTS (SELECT FROM contract_classes WHERE chain = %[1]d AND address = a.id AND origin = 1)),
		(SELECT block FROM transfers WHERE chain = %[1]d AND token = a.id ORDER BY block DESC LIMIT 1),
		c.block, c.updated_at, s.transfers, s.senders, s.receivers,
		s.transfers IS NULL OR c.block >= $2, n.transfers, n.senders, n.receivers` + describedAt + `
	JOIN index_checkpoints i ON i.chain = %[1]d
	JOIN token_summary_checkpoints c ON c.chain = %[1]d
	LEFT JOIN LATERAL (
		SELECT transfers, senders, receivers FROM token_summaries WHERE chain = %[1]d AND token = a.id AND c.block IS NOT NULL LIMIT 1
	) s ON true
	CROSS JOIN LATERAL (
		WITH above AS MATERIALIZED (
			SELECT sender, receiver FROM transfers
			WHERE chain = %[1]d AND token = a.id AND block > coalesce(c.block, -1) AND (s.transfers IS NULL OR c.block >= $2)
			LIMIT %[2]d + 1
		)
		SELECT (SELECT count(*) FROM above) AS transfers,
			(SELECT count(*) FROM (SELECT DISTINCT sender FROM above) x WHERE NOT coalesce((
				SELECT sent FROM token_parties WHERE chain = %[1]d AND token = a.id AND address = x.sender AND c.block IS NOT NULL), false)) AS senders,
			(SELECT count(*) FROM (SELECT DISTINCT receiver FROM above) x WHERE NOT coalesce((
				SELECT received FROM token_parties WHERE chain = %[1]d AND token = a.id AND address = x.receiver AND c.block IS NOT NULL), false)) AS receivers
	) n`

// CountedTokens implements token.Store.
func (db *DB) CountedTokens(ctx context.Context, c domain.Chain, addresses []starknet.Felt, bounds token.Counting) ([]*token.Counted, error) {
	found, err := collect(ctx, db, func(row pgx.CollectableRow) (child[token.Counted], error) {
		f, err := collectFields(row)
		if err != nil {
			return child[token.Counted]{}, err
		}
		parent := int(f.int8())
		counted := token.Counted{Token: tokenFields(&f), Whole: f.bool(), Latest: f.blockOrNil(), Through: f.blockOrNil(), UpdatedAt: f.timeOrNil()}
		if f.raw[f.next] != nil {
			counted.Sums = &token.Counts{Transfers: uint64(f.int8()), Senders: uint64(f.int8()), Receivers: uint64(f.int8())}
		} else {
			f.next += 3
		}
		wasCounted := f.bool()
		above := token.Counts{Transfers: uint64(f.int8()), Senders: uint64(f.int8()), Receivers: uint64(f.int8())}
		if wasCounted && above.Transfers <= bounds.Most {
			counted.Above = &above
		}
		return child[token.Counted]{parent, counted}, f.damage("tokens")
	}, fmt.Sprintf(countedTokens, chainCode(c), bounds.Most), feltBytes(addresses), int64(bounds.Fresh))
	tokens := make([]*token.Counted, len(addresses))
	for i := range found {
		at := found[i].parent - 1
		tokens[at] = &found[i].row
		tokens[at].Address = addresses[at]
	}
	return tokens, err
}

// tokenFields reads the columns of describedColumns.
func tokenFields(f *fields) token.Token {
	t := token.Token{Standard: oneOf(f, standards)}
	t.Metadata = token.Metadata{Name: f.textOrNil(), Symbol: f.textOrNil(), Decimals: f.byteOrNil()}
	t.MetadataAt = f.timeOrNil()
	supply, block := f.number(), f.blockOrNil()
	if supply != nil && block != nil {
		t.Supply = &token.SupplyReading{Raw: starknet.Uint256(*supply), Block: *block}
	}
	return t
}
