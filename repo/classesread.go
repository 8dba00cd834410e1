package repo

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"

	"github.com/jackc/pgx/v5"

	"astrolabe/domain"
	"astrolabe/domain/chain"
	"astrolabe/starknet"
)

// ClassesShown implements chain.ClassIndex.
func (db *DB) ClassesShown(ctx context.Context, c domain.Chain, hashes []starknet.Felt) ([]*chain.Class, error) {
	list := make([]*chain.Class, len(hashes))
	_, err := collect(ctx, db, func(row pgx.CollectableRow) (struct{}, error) {
		var (
			parent, standard int
			class            chain.Class
			block            *uint64
			tx, compiled     *starknet.Felt
		)
		err := row.Scan(&parent, &class.Sierra, &class.Known, &standard, &class.Account, &block, &tx, &compiled)
		if err != nil {
			return struct{}{}, err
		}
		class.Hash, class.Standard = hashes[parent-1], standards[standard]
		if block != nil {
			class.Declaration = &chain.ClassDeclaration{Block: *block, TxHash: tx, Compiled: compiled}
		}
		list[parent-1] = &class
		return struct{}{}, nil
	}, classesStatement(c), feltBytes(hashes))
	return list, err
}

// classesStatement finds classes by hash and their first declaration along
// declarations_class.
func classesStatement(c domain.Chain) string {
	return fmt.Sprintf(`/* class.of */
		SELECT p.parent, k.sierra, k.abi IS NOT NULL, k.standard, k.account, d.block,
			(SELECT hash FROM transactions WHERE chain = %[1]d AND block = d.block AND tx = d.tx), d.compiled
		FROM unnest($1::bytea[]) WITH ORDINALITY AS p (hash, parent)
		CROSS JOIN LATERAL (
			SELECT id, block, sierra, abi, standard, account FROM classes WHERE chain = %[1]d AND hash = p.hash LIMIT 1
		) k
		CROSS JOIN LATERAL (SELECT FROM blocks WHERE chain = %[1]d AND block = k.block LIMIT 1) b
		LEFT JOIN LATERAL (
			SELECT d.block, d.tx, d.compiled FROM declarations d
			CROSS JOIN LATERAL (SELECT FROM blocks WHERE chain = %[1]d AND block = d.block LIMIT 1) b
			WHERE d.chain = %[1]d AND d.class = k.id ORDER BY d.block LIMIT 1
		) d ON true`, chainCode(c))
}

// ClassABIs implements chain.ClassIndex.
func (db *DB) ClassABIs(ctx context.Context, c domain.Chain, hashes []starknet.Felt) ([][]byte, error) {
	list := make([][]byte, len(hashes))
	_, err := collect(ctx, db, func(row pgx.CollectableRow) (struct{}, error) {
		var (
			parent int
			abi    []byte
		)
		err := row.Scan(&parent, &abi)
		if err == nil {
			list[parent-1] = abi
		}
		return struct{}{}, err
	}, fmt.Sprintf(`/* class.abi */
		SELECT p.parent, k.abi FROM unnest($1::bytea[]) WITH ORDINALITY AS p (hash, parent)
		CROSS JOIN LATERAL (SELECT block, abi FROM classes WHERE chain = %[1]d AND hash = p.hash LIMIT 1) k
		CROSS JOIN LATERAL (SELECT FROM blocks WHERE chain = %[1]d AND block = k.block LIMIT 1) b`, chainCode(c)), feltBytes(hashes))
	return list, err
}

// ClassUses implements chain.ClassIndex.
func (db *DB) ClassUses(ctx context.Context, c domain.Chain, hashes []starknet.Felt, page domain.PageRequest) ([]domain.Page[chain.ClassUse], error) {
	lists := make([][]chain.ClassUse, len(hashes))
	block, contract, after := usedAfter(page.After)
	_, err := collect(ctx, db, func(row pgx.CollectableRow) (struct{}, error) {
		var (
			parent, origin int
			use            chain.ClassUse
		)
		err := row.Scan(&parent, &use.Contract, &use.Block, &origin, &use.Current)
		if err == nil {
			use.Origin = origins[origin]
			lists[parent-1] = append(lists[parent-1], use)
		}
		return struct{}{}, err
	}, classUsesStatement(c, page.Limit), feltBytes(hashes), block, contract[:], after)
	if err != nil {
		return nil, err
	}
	pages := make([]domain.Page[chain.ClassUse], len(lists))
	for i, list := range lists {
		pages[i] = domain.CutPage(list, page.Limit, chain.ClassUse.Position)
	}
	return pages, nil
}

// classUsesStatement goes along contract_classes_class, which is in the order
// of blocks; only the contracts of one block have to be sorted.
func classUsesStatement(c domain.Chain, limit int) string {
	return fmt.Sprintf(`/* class.uses */
		SELECT p.parent, x.felt, x.block, x.origin, NOT EXISTS (
			SELECT FROM contract_classes later
			CROSS JOIN LATERAL (SELECT FROM blocks WHERE chain = %[1]d AND block = later.block LIMIT 1) b
			WHERE later.chain = %[1]d AND later.address = x.address AND (later.block, later.origin) > (x.block, x.origin))
		FROM unnest($1::bytea[]) WITH ORDINALITY AS p (hash, parent)
		CROSS JOIN LATERAL (SELECT id FROM classes WHERE chain = %[1]d AND hash = p.hash LIMIT 1) k
		CROSS JOIN LATERAL (
			SELECT a.felt, h.address, h.block, h.origin FROM contract_classes h
			CROSS JOIN LATERAL (SELECT FROM blocks WHERE chain = %[1]d AND block = h.block LIMIT 1) b
			CROSS JOIN LATERAL (SELECT felt FROM addresses WHERE chain = %[1]d AND id = h.address LIMIT 1) a
			WHERE h.chain = %[1]d AND h.class = k.id AND h.block <= $2 AND (h.block < $2 OR (a.felt, h.origin) > ($3, $4))
			ORDER BY h.block DESC, a.felt, h.origin LIMIT %[2]d
		) x ORDER BY p.parent, x.block DESC, x.felt, x.origin`, chainCode(c), rowsFor(limit))
}

// usedAfter reads a position of uses; without it everything comes after.
func usedAfter(position domain.Position) (block int32, contract starknet.Felt, origin int16) {
	if len(position) != 6 {
		return math.MaxInt32, contract, 0
	}
	for i, word := range position[1:5] {
		binary.BigEndian.PutUint64(contract[8*i:], word)
	}
	return int32(position[0]), contract, int16(position[5])
}
