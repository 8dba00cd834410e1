package tokens

import (
	"context"

	"astrolabe/domain"
	"astrolabe/domain/chain"
	"astrolabe/domain/facts"
	"astrolabe/repo"
	"astrolabe/repo/model"
	"astrolabe/starknet"
)

// firstUnseen is the first block that readers cannot see yet. Tables without
// ranges may have rows of it.
const firstUnseen = `(SELECT coalesce(min(from_block), 2147483647) FROM index_ranges WHERE chain = %[1]d AND state <> 'ready')`

// untypedOf finds the addresses with evidence by felt and by the primary key of
// untyped_transfers. Each address of an outdated index has some.
var untypedOf = `/* untyped.of */
	SELECT p.parent
	FROM unnest($1::bytea[]) WITH ORDINALITY AS p (felt, parent)
	CROSS JOIN LATERAL (SELECT id FROM addresses WHERE chain = %[1]d AND felt = p.felt LIMIT 1) a
	WHERE EXISTS (
		SELECT FROM untyped_transfers
		WHERE chain = %[1]d AND address = a.id AND part = $2 AND block BETWEEN $3 AND $4 AND block < ` + firstUnseen + ` LIMIT 1)
	UNION ALL
	SELECT p.parent FROM unnest($1::bytea[]) WITH ORDINALITY AS p (felt, parent) WHERE ` + outdated

// untypedIn finds the transactions with evidence by events_…_place and by the
// primary key of untyped_transfers. Each transaction of an outdated index has
// some.
var untypedIn = `/* untyped.in */
	SELECT p.parent
	FROM unnest($1::integer[], $2::smallint[]) WITH ORDINALITY AS p (block, tx, parent)
	WHERE EXISTS (
		SELECT FROM (SELECT DISTINCT address FROM events WHERE chain = %[1]d AND block = p.block AND tx = p.tx) e
		CROSS JOIN LATERAL (
			SELECT FROM untyped_transfers WHERE chain = %[1]d AND address = e.address AND part = 0 AND block = p.block LIMIT 1
		) u)
	UNION ALL
	SELECT p.parent FROM unnest($1::integer[]) WITH ORDINALITY AS p (block, parent) WHERE ` + outdated

// UntypedOf implements token.UntypedStore.
func (r Transfers) UntypedOf(ctx context.Context, c domain.Chain, addresses []starknet.Felt, role facts.UntypedRole, from, to uint64) ([]bool, error) {
	code, err := model.UntypedRole(role).Value()
	if err != nil {
		return nil, err
	}
	parents, err := repo.Select[int64](ctx, r.db.Read(), repo.Text(untypedOf, model.Code(c)), model.Bytes(addresses), code, int64(from), int64(to))
	return marked(len(addresses), parents), err
}

// UntypedIn implements token.UntypedStore.
func (r Transfers) UntypedIn(ctx context.Context, c domain.Chain, txs []chain.TxPlace) ([]bool, error) {
	blocks, indexes := make([]int32, len(txs)), make([]int16, len(txs))
	for i, tx := range txs {
		blocks[i], indexes[i] = int32(tx.Block), int16(tx.Tx)
	}
	parents, err := repo.Select[int64](ctx, r.db.Read(), repo.Text(untypedIn, model.Code(c)), blocks, indexes)
	return marked(len(txs), parents), err
}

// marked returns true at the given positions, which count from 1.
func marked(count int, positions []int64) []bool {
	list := make([]bool, count)
	for _, at := range positions {
		list[at-1] = true
	}
	return list
}
