package repo

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"

	"astrolabe/domain"
	"astrolabe/domain/address"
	"astrolabe/domain/facts"
)

// evidenceMost is how many transfers of a token are counted.
const evidenceMost = 20

// addressAssets finds the tokens g of each address w: those that are given, and
// others that a walk from token to token finds. Each step of the walk is one
// descent of transfers_*_receiver_token and one of transfers_*_sender_token to
// the next token, however many transfers there are of each; the walk ends when
// there are enough. The same indexes show how often and where a token was seen
// last.
const addressAssets = `/* address.assets */
	SELECT o.n, g.token, g.listed, g.felt, coalesce(received.n, 0), received.block, coalesce(sent.n, 0), sent.block,
		k.standard, k.name, k.symbol, k.decimals
	FROM unnest($1::bytea[]) WITH ORDINALITY AS o (felt, n)
	LEFT JOIN addresses w ON w.chain = %[1]d AND w.felt = o.felt
	CROSS JOIN LATERAL (
		SELECT id AS token, felt, true AS listed FROM addresses WHERE chain = %[1]d AND felt = ANY($2::bytea[])
		UNION ALL
		(SELECT held.token, named.felt, false FROM (
			WITH RECURSIVE walk (token) AS (
				SELECT coalesce((SELECT id FROM addresses WHERE chain = %[1]d AND felt = $4::bytea), -1)
				UNION ALL
				SELECT least(
					(SELECT token FROM transfers_%[1]d WHERE receiver = w.id AND token > walk.token ORDER BY token LIMIT 1),
					(SELECT token FROM transfers_%[1]d WHERE sender = w.id AND token > walk.token ORDER BY token LIMIT 1))
				FROM walk WHERE walk.token IS NOT NULL
			)
			SELECT token FROM walk WHERE token IS NOT NULL OFFSET 1
		) AS held
		CROSS JOIN LATERAL (SELECT felt FROM addresses WHERE chain = %[1]d AND id = held.token LIMIT 1) AS named
		WHERE named.felt <> ALL($3::bytea[]) LIMIT %[2]d)
	) AS g
	CROSS JOIN LATERAL (
		SELECT count(*) AS n, max(block) AS block FROM (
			SELECT block FROM transfers_%[1]d WHERE receiver = w.id AND token = g.token ORDER BY block DESC LIMIT %[3]d) AS newest
	) AS received
	CROSS JOIN LATERAL (
		SELECT count(*) AS n, max(block) AS block FROM (
			SELECT block FROM transfers_%[1]d WHERE sender = w.id AND token = g.token ORDER BY block DESC LIMIT %[3]d) AS newest
	) AS sent
	LEFT JOIN LATERAL (
		SELECT standard, name, symbol, decimals FROM tokens WHERE chain = %[1]d AND address = g.token AND block < ` + firstUnseen + ` LIMIT 1
	) AS k ON true`

// firstUnseen is the first block that readers do not see yet, although tables
// without ranges may have rows of it.
const firstUnseen = `(SELECT coalesce(min(from_block), 2147483647) FROM index_ranges WHERE chain = %[1]d AND state <> 'ready')`

// AssetsOf implements address.Store. Discovered tokens are in the order of the
// dictionary, which never changes.
func (db *DB) AssetsOf(ctx context.Context, c domain.Chain, q address.AssetQuery) ([][]address.Holding, error) {
	var after []byte
	if q.After != nil {
		after = q.After[:]
	}
	found, err := collect(ctx, db, scanHolding, fmt.Sprintf(addressAssets, chainCode(c), max(q.Discover, 0), evidenceMost),
		feltBytes(q.Owners), feltBytes(q.Listed), feltBytes(q.Except), after)
	if err != nil {
		return nil, err
	}
	slices.SortFunc(found, func(a, b child[ordered]) int { return cmp.Compare(a.row.order, b.row.order) })
	lists := make([][]address.Holding, len(q.Owners))
	for i, list := range ofParents(found, len(q.Owners)) {
		for _, holding := range list {
			lists[i] = append(lists[i], holding.Holding)
		}
	}
	return lists, nil
}

// ordered is a holding with its token's place in the dictionary.
type ordered struct {
	order int32
	address.Holding
}

func scanHolding(row pgx.CollectableRow) (child[ordered], error) {
	f, err := collectFields(row)
	if err != nil {
		return child[ordered]{}, err
	}
	found := child[ordered]{parent: int(f.int8())}
	h := &found.row
	h.order, h.Listed, h.Token = f.int4(), f.bool(), f.felt()
	h.Received, h.Sent = f.observed(), f.observed()
	if f.raw[f.next] == nil {
		f.skip()
	} else {
		h.Standard = oneOf(&f, standards)
	}
	h.Name, h.Symbol, h.Decimals = f.textOrNil(), f.textOrNil(), f.byteOrNil()
	if f.bad {
		return found, damaged(facts.TableTokens, 0, fmt.Sprintf("a value of %s is malformed", h.Token))
	}
	return found, nil
}

// observed reads a count and the newest block, which is null for none.
func (f *fields) observed() (o address.Observed) {
	o.AtLeast = int(f.int8())
	if o.AtLeast == 0 {
		f.skip()
		return o
	}
	o.LastBlock = uint64(f.int4())
	return o
}
