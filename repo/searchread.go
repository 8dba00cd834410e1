package repo

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"astrolabe/domain"
	"astrolabe/domain/search"
	"astrolabe/starknet"
)

// The questions that a search asks of a felt, each answered by one row or none.
const (
	// By locators_tag and the place of blocks.
	searchBlock = `/* search.block */
		SELECT b.block FROM (SELECT block FROM locators WHERE tag = locator_tag($1) AND kind = 1 AND chain = %[1]d OFFSET 0) l
		CROSS JOIN LATERAL (SELECT block FROM blocks WHERE chain = %[1]d AND block = l.block AND hash = $1 LIMIT 1) b`

	// By locators_tag and the place of transactions.
	searchTransaction = `/* search.transaction */
		SELECT true FROM (SELECT block, tx FROM locators WHERE tag = locator_tag($1) AND kind = 2 AND chain = %[1]d OFFSET 0) l
		CROSS JOIN LATERAL (SELECT block FROM transactions WHERE chain = %[1]d AND block = l.block AND tx = l.tx AND hash = $1 LIMIT 1) t`

	// By the unique hash of classes.
	searchClass = `/* search.class */ SELECT true FROM classes WHERE chain = %[1]d AND hash = $1 AND block <= $2`

	// By the unique felt of addresses, the primary keys of tokens and
	// contract_classes, and each range's activity of an address. Each row
	// begins with the number of its address, from 1 on.
	searchAddresses = `/* search.addresses */
		SELECT p.n, t.address IS NOT NULL, t.symbol, t.name, k.account IS NOT NULL, coalesce(k.account, false)
		FROM unnest($1::bytea[]) WITH ORDINALITY AS p (felt, n)
		CROSS JOIN LATERAL (SELECT id FROM addresses WHERE chain = %[1]d AND felt = p.felt LIMIT 1) a
		LEFT JOIN LATERAL (
			SELECT address, symbol, name FROM tokens WHERE chain = %[1]d AND address = a.id AND block <= $2 LIMIT 1
		) t ON true
		LEFT JOIN LATERAL (
			SELECT account FROM contract_classes h JOIN classes k ON k.chain = %[1]d AND k.id = h.class
			WHERE h.chain = %[1]d AND h.address = a.id AND h.block <= $2 ORDER BY h.block DESC, h.origin DESC LIMIT 1
		) k ON true
		WHERE t.address IS NOT NULL OR k.account IS NOT NULL
			OR EXISTS (SELECT FROM activity WHERE chain = %[1]d AND address = a.id)`
)

// SearchFelt implements search.Store.
func (db *DB) SearchFelt(ctx context.Context, c domain.Chain, felt starknet.Felt, upTo uint64) (found search.Felt, known *search.AddressHit, err error) {
	code, last := chainCode(c), int64(upTo)
	addresses := make([]*search.AddressHit, 1)
	err = db.look(ctx, func(b *pgx.Batch) {
		b.Queue(fmt.Sprintf(searchBlock, code), felt[:]).QueryRow(func(row pgx.Row) error {
			return orNone(row.Scan(&found.Block))
		})
		b.Queue(fmt.Sprintf(searchTransaction, code), felt[:]).QueryRow(func(row pgx.Row) error {
			return orNone(row.Scan(&found.Transaction))
		})
		b.Queue(fmt.Sprintf(searchClass, code), felt[:], last).QueryRow(func(row pgx.Row) error {
			return orNone(row.Scan(&found.Class))
		})
		b.Queue(fmt.Sprintf(searchAddresses, code), feltBytes([]starknet.Felt{felt}), last).Query(addressHits(addresses))
	})
	return found, addresses[0], err
}

// SearchAddresses implements search.Store.
func (db *DB) SearchAddresses(ctx context.Context, c domain.Chain, addresses []starknet.Felt, upTo uint64) ([]*search.AddressHit, error) {
	hits := make([]*search.AddressHit, len(addresses))
	err := db.look(ctx, func(b *pgx.Batch) {
		b.Queue(fmt.Sprintf(searchAddresses, chainCode(c)), feltBytes(addresses), int64(upTo)).Query(addressHits(hits))
	})
	return hits, err
}

// addressHits reads the rows of searchAddresses.
func addressHits(into []*search.AddressHit) func(pgx.Rows) error {
	return func(rows pgx.Rows) error {
		var (
			n   int
			hit search.AddressHit
		)
		_, err := pgx.ForEachRow(rows, []any{&n, &hit.Token, &hit.Symbol, &hit.Name, &hit.Contract, &hit.Account}, func() error {
			into[n-1] = new(hit)
			return nil
		})
		return err
	}
}

// orNone takes an absent row for an answer.
func orNone(err error) error {
	if errors.Is(err, pgx.ErrNoRows) {
		return nil
	}
	return err
}

// tokensBeginning goes along tokens_symbol or tokens_name from the text on.
// What is nothing but the text comes first in their order.
const tokensBeginning = `/* search.tokens */
	SELECT (SELECT felt FROM addresses WHERE chain = %[1]d AND id = t.address), t.symbol, t.name
	FROM tokens t
	WHERE t.chain = %[1]d AND lower(t.%[2]s) ~>=~ lower($1::text) AND lower(t.%[2]s) ~<~ (lower($1::text) || chr(1114111)) AND t.block <= $2
	ORDER BY lower(t.%[2]s) USING ~<~, t.block, t.address LIMIT %[3]d`

// SearchTokens implements search.Store.
func (db *DB) SearchTokens(ctx context.Context, c domain.Chain, text string, upTo uint64, limit int) (bySymbol, byName []search.TokenHit, err error) {
	err = db.look(ctx, func(b *pgx.Batch) {
		for column, into := range map[string]*[]search.TokenHit{"symbol": &bySymbol, "name": &byName} {
			b.Queue(fmt.Sprintf(tokensBeginning, chainCode(c), column, limit), text, int64(upTo)).Query(func(rows pgx.Rows) (err error) {
				*into, err = pgx.CollectRows(rows, pgx.RowToStructByPos[search.TokenHit])
				return err
			})
		}
	})
	return bySymbol, byName, err
}
