package addresses

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"astrolabe/domain"
	"astrolabe/domain/search"
	"astrolabe/repo"
	"astrolabe/repo/model"
	"astrolabe/starknet"
)

// Search finds blocks, transactions, classes, addresses and tokens by a text.
type Search struct{ db *repo.DB }

var _ search.Store = Search{}

// NewSearch returns the repository of searches.
func NewSearch(db *repo.DB) Search { return Search{db} }

// knownAddress are the columns of an address p up to block $2, and their joins:
// the unique felt of addresses, the primary keys of tokens and
// contract_classes, and activity_…_address. An address without activity has no
// row.
const (
	knownAddressColumns = `t.address IS NOT NULL AS token, t.symbol, t.name, k.account IS NOT NULL AS contract, coalesce(k.account, false) AS account, k.proxy_class`

	knownAddress = `
		CROSS JOIN LATERAL (SELECT id FROM addresses WHERE chain = %[1]d AND felt = p.felt LIMIT 1) a
		LEFT JOIN LATERAL (
			SELECT address, symbol, name FROM tokens WHERE chain = %[1]d AND address = a.id AND block <= $2 LIMIT 1
		) t ON true
		LEFT JOIN LATERAL (
			SELECT account, CASE WHEN NOT (k.sierra OR k.account) THEN k.hash END AS proxy_class FROM contract_classes h JOIN classes k ON k.chain = %[1]d AND k.id = h.class
			WHERE h.chain = %[1]d AND h.address = a.id AND h.block <= $2 ORDER BY h.block DESC, h.origin DESC LIMIT 1
		) k ON true
		WHERE t.address IS NOT NULL OR k.account IS NOT NULL
			OR EXISTS (SELECT FROM activity WHERE chain = %[1]d AND address = a.id)`
)

// addressRow has the columns of knownAddressColumns.
type addressRow struct {
	Token      bool           `bun:"token"`
	Symbol     *string        `bun:"symbol"`
	Name       *string        `bun:"name"`
	Contract   bool           `bun:"contract"`
	Account    bool           `bun:"account"`
	ProxyClass *starknet.Felt `bun:"proxy_class"`
}

func (r *addressRow) hit() *search.AddressHit {
	if r == nil {
		return nil
	}
	return &search.AddressHit{Token: r.Token, Symbol: r.Symbol, Name: r.Name, Contract: r.Contract, Account: r.Account, ProxyClass: r.ProxyClass}
}

// searchFelt returns one row. It finds a block and a transaction by
// locators_tag and blocks_…_place or transactions_…_place, and a class by its
// unique hash.
const searchFelt = `/* search.felt */
	SELECT (
			SELECT b.block FROM (SELECT block FROM locators WHERE tag = locator_tag($1) AND kind = 1 AND chain = %[1]d OFFSET 0) l
			CROSS JOIN LATERAL (SELECT block FROM blocks WHERE chain = %[1]d AND block = l.block AND hash = $1 LIMIT 1) b LIMIT 1
		) AS block,
		EXISTS (
			SELECT FROM (SELECT block, tx FROM locators WHERE tag = locator_tag($1) AND kind = 2 AND chain = %[1]d OFFSET 0) l
			CROSS JOIN LATERAL (SELECT block FROM transactions WHERE chain = %[1]d AND block = l.block AND tx = l.tx AND hash = $1 LIMIT 1) t
		) AS transaction,
		EXISTS (SELECT FROM classes WHERE chain = %[1]d AND hash = $1 AND block <= $2) AS class,
		known.token, known.symbol, known.name, known.contract, known.account, known.proxy_class
	FROM (SELECT) always
	LEFT JOIN (SELECT ` + knownAddressColumns + ` FROM (SELECT $1::bytea AS felt) p` + knownAddress + `) known ON true`

// feltRow is the row of searchFelt. Token, the first column of Known, is NULL
// only if the address is unknown.
type feltRow struct {
	Block       *model.BlockNumber `bun:"block"`
	Transaction bool               `bun:"transaction"`
	Class       bool               `bun:"class"`
	Known       *addressRow        `bun:"embed:"`
}

// SearchFelt implements search.Store.
func (r Search) SearchFelt(ctx context.Context, c domain.Chain, felt starknet.Felt, upTo uint64) (found search.Felt, known *search.AddressHit, err error) {
	rows, err := repo.Select[feltRow](ctx, r.db.Read(), repo.Text(searchFelt, model.Code(c)), felt[:], model.ClipBlock(upTo))
	if err != nil {
		return found, nil, err
	}
	row := &rows[0]
	return search.Felt{Block: row.Block.Uint64(), Transaction: row.Transaction, Class: row.Class}, row.Known.hit(), nil
}

const searchAddresses = `/* search.addresses */
	SELECT p.n, ` + knownAddressColumns + ` FROM unnest($1::bytea[]) WITH ORDINALITY AS p (felt, n)` + knownAddress

// SearchAddresses implements search.Store.
func (r Search) SearchAddresses(ctx context.Context, c domain.Chain, addresses []starknet.Felt, upTo uint64) ([]*search.AddressHit, error) {
	rows, err := repo.Select[struct {
		N int64 `bun:"n"`
		addressRow
	}](ctx, r.db.Read(), repo.Text(searchAddresses, model.Code(c)), model.Bytes(addresses), model.ClipBlock(upTo))
	if err != nil {
		return nil, err
	}
	hits := make([]*search.AddressHit, len(addresses))
	for i := range rows {
		hits[rows[i].N-1] = rows[i].hit()
	}
	return hits, nil
}

// searchTokens uses tokens_symbol and tokens_name from the text on. Exact
// matches come first in index order.
var searchTokens = `/* search.tokens */ ` + tokensBeginning("symbol") + " UNION ALL " + tokensBeginning("name")

// tokensBeginning finds the tokens whose column begins with the text, and
// numbers them in index order.
func tokensBeginning(column string) string {
	return strings.ReplaceAll(`(
		SELECT '{column}' AS matched, row_number() OVER (ORDER BY lower(t.{column}) USING ~<~, t.block, t.address) AS place,
			(SELECT felt FROM addresses WHERE chain = %[1]d AND id = t.address) AS address, t.symbol, t.name
		FROM tokens t
		WHERE t.chain = %[1]d AND lower(t.{column}) ~>=~ lower($1::text) AND lower(t.{column}) ~<~ (lower($1::text) || chr(1114111)) AND t.block <= $2
		ORDER BY lower(t.{column}) USING ~<~, t.block, t.address LIMIT %[2]d)`, "{column}", column)
}

type tokenRow struct {
	Matched string        `bun:"matched"`
	Place   int64         `bun:"place"`
	Address starknet.Felt `bun:"address"`
	Symbol  *string       `bun:"symbol"`
	Name    *string       `bun:"name"`
}

// SearchTokens implements search.Store.
func (r Search) SearchTokens(ctx context.Context, c domain.Chain, text string, upTo uint64, limit int) (bySymbol, byName []search.TokenHit, err error) {
	rows, err := repo.Select[tokenRow](ctx, r.db.Read(), repo.Text(searchTokens, model.Code(c), limit), text, model.ClipBlock(upTo))
	if err != nil {
		return nil, nil, err
	}
	slices.SortFunc(rows, func(a, b tokenRow) int { return cmp.Compare(a.Place, b.Place) })
	for _, row := range rows {
		hit := search.TokenHit{Address: row.Address, Symbol: row.Symbol, Name: row.Name}
		if row.Matched == "symbol" {
			bySymbol = append(bySymbol, hit)
		} else {
			byName = append(byName, hit)
		}
	}
	return bySymbol, byName, nil
}
