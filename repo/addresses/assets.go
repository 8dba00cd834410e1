package addresses

import (
	"cmp"
	"context"
	"slices"

	"astrolabe/domain"
	"astrolabe/domain/address"
	"astrolabe/domain/facts"
	"astrolabe/repo"
	"astrolabe/repo/model"
	"astrolabe/starknet"
)

// assetsOfOwners finds the tokens g of each address w: the given ones, and
// others by skipping from token to token. Each step descends
// transfers_…_receiver_token and transfers_…_sender_token once to the next
// token, however many transfers a token has; it stops when there are enough
// tokens. The same indexes give the number of transfers and the newest one of a
// token; at most 20 transfers of a token are counted in each direction.
const assetsOfOwners = `/* address.assets */
	SELECT o.n, g.token AS id, g.listed, g.felt AS token,
		received.n AS received_n, received.block AS received_block, sent.n AS sent_n, sent.block AS sent_block,
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
			SELECT block FROM transfers_%[1]d WHERE receiver = w.id AND token = g.token ORDER BY block DESC LIMIT 20) AS newest
	) AS received
	CROSS JOIN LATERAL (
		SELECT count(*) AS n, max(block) AS block FROM (
			SELECT block FROM transfers_%[1]d WHERE sender = w.id AND token = g.token ORDER BY block DESC LIMIT 20) AS newest
	) AS sent
	LEFT JOIN LATERAL (
		SELECT standard, name, symbol, decimals FROM tokens WHERE chain = %[1]d AND address = g.token AND block < ` + firstUnseen + ` LIMIT 1
	) AS k ON true`

// firstUnseen is the first block that readers cannot see yet. Tables without
// partitions may have rows of it.
const firstUnseen = `(SELECT coalesce(min(from_block), 2147483647) FROM index_ranges WHERE chain = %[1]d AND state <> 'ready')`

type holdingRow struct {
	N        int64           `bun:"n"`
	ID       model.ID        `bun:"id"` // of the token
	Listed   bool            `bun:"listed"`
	Token    starknet.Felt   `bun:"token"`
	Received observedRow     `bun:"embed:received_"`
	Sent     observedRow     `bun:"embed:sent_"`
	Standard *model.Standard `bun:"standard"`
	Name     *string         `bun:"name"`
	Symbol   *string         `bun:"symbol"`
	Decimals *model.Decimals `bun:"decimals"`
}

// observedRow counts transfers; the newest block is NULL when there are none.
type observedRow struct {
	N     int64              `bun:"n"`
	Block *model.BlockNumber `bun:"block"`
}

func (r observedRow) observed() address.Observed {
	o := address.Observed{AtLeast: int(r.N)}
	if r.Block != nil {
		o.LastBlock = uint64(*r.Block)
	}
	return o
}

func (r *holdingRow) holding() address.Holding {
	h := address.Holding{
		Token: r.Token, Listed: r.Listed, Received: r.Received.observed(), Sent: r.Sent.observed(),
		Symbol: r.Symbol, Name: r.Name, Decimals: (*uint8)(r.Decimals),
	}
	if r.Standard != nil {
		h.Standard = facts.Standard(*r.Standard)
	}
	return h
}

// AssetsOf implements address.Store. Discovered tokens are in the order of
// their ids, which is stable.
func (r Addresses) AssetsOf(ctx context.Context, c domain.Chain, q address.AssetQuery) ([][]address.Holding, error) {
	var after []byte
	if q.After != nil {
		after = q.After[:]
	}
	discover := 0
	if q.Discover > 0 {
		discover = repo.RowsFor(q.Discover - 1)
	}
	rows, err := repo.Select[holdingRow](ctx, r.db.Read(), repo.Text(assetsOfOwners, model.Code(c), discover),
		model.Bytes(q.Owners), model.Bytes(q.Listed), model.Bytes(q.Except), after)
	if err != nil {
		return nil, err
	}
	slices.SortFunc(rows, func(a, b holdingRow) int { return cmp.Compare(a.ID, b.ID) })
	return repo.ByParent(rows, len(q.Owners), func(row *holdingRow) (int64, address.Holding, error) {
		return row.N, row.holding(), nil
	})
}
