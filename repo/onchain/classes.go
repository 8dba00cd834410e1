package onchain

import (
	"context"
	"encoding/binary"
	"math"

	"astrolabe/domain"
	"astrolabe/domain/chain"
	"astrolabe/domain/facts"
	"astrolabe/repo"
	"astrolabe/repo/model"
	"astrolabe/starknet"
)

// Classes reads the contract classes in visible blocks.
type Classes struct{ db *repo.DB }

var _ chain.ClassIndex = Classes{}

// NewClasses returns the repository of classes.
func NewClasses(db *repo.DB) Classes { return Classes{db} }

// classesByHash finds classes by hash, and their first declarations by
// declarations_class.
const classesByHash = `/* class.of */
	SELECT p.parent, k.sierra, k.abi IS NOT NULL AS known, k.standard, k.account, d.block,
		(SELECT hash FROM transactions WHERE chain = %[1]d AND block = d.block AND tx = d.tx) AS tx_hash, d.compiled
	FROM unnest($1::bytea[]) WITH ORDINALITY AS p (hash, parent)
	CROSS JOIN LATERAL (
		SELECT id, block, sierra, abi, standard, account FROM classes WHERE chain = %[1]d AND hash = p.hash LIMIT 1
	) k
	CROSS JOIN LATERAL (SELECT FROM blocks WHERE chain = %[1]d AND block = k.block LIMIT 1) b
	LEFT JOIN LATERAL (
		SELECT d.block, d.tx, d.compiled FROM declarations d
		CROSS JOIN LATERAL (SELECT FROM blocks WHERE chain = %[1]d AND block = d.block LIMIT 1) b
		WHERE d.chain = %[1]d AND d.class = k.id ORDER BY d.block LIMIT 1
	) d ON true`

// VisibleClasses implements chain.ClassIndex.
func (r Classes) VisibleClasses(ctx context.Context, c domain.Chain, hashes []starknet.Felt) ([]*chain.Class, error) {
	type row struct {
		Parent   int64              `bun:"parent"`
		Sierra   bool               `bun:"sierra"`
		Known    bool               `bun:"known"`
		Standard model.Standard     `bun:"standard"`
		Account  bool               `bun:"account"`
		Block    *model.BlockNumber `bun:"block"`
		TxHash   *starknet.Felt     `bun:"tx_hash"`
		Compiled *starknet.Felt     `bun:"compiled"`
	}
	rows, err := repo.Select[row](ctx, r.db.Read(), repo.Text(classesByHash, model.Code(c)), model.Bytes(hashes))
	if err != nil {
		return nil, err
	}
	list := make([]*chain.Class, len(hashes))
	for _, row := range rows {
		class := &chain.Class{
			Hash: hashes[row.Parent-1], Sierra: row.Sierra, Known: row.Known, Standard: facts.Standard(row.Standard), Account: row.Account,
		}
		if row.Block != nil {
			class.Declaration = &chain.ClassDeclaration{Block: uint64(*row.Block), TxHash: row.TxHash, Compiled: row.Compiled}
		}
		list[row.Parent-1] = class
	}
	return list, nil
}

// abisByHash finds the ABIs of classes by hash.
const abisByHash = `/* class.abi */
	SELECT p.parent, k.abi FROM unnest($1::bytea[]) WITH ORDINALITY AS p (hash, parent)
	CROSS JOIN LATERAL (SELECT block, abi FROM classes WHERE chain = %[1]d AND hash = p.hash LIMIT 1) k
	CROSS JOIN LATERAL (SELECT FROM blocks WHERE chain = %[1]d AND block = k.block LIMIT 1) b`

// ClassABIs implements chain.ClassIndex.
func (r Classes) ClassABIs(ctx context.Context, c domain.Chain, hashes []starknet.Felt) ([][]byte, error) {
	type row struct {
		Parent int64  `bun:"parent"`
		ABI    []byte `bun:"abi"`
	}
	rows, err := repo.Select[row](ctx, r.db.Read(), repo.Text(abisByHash, model.Code(c)), model.Bytes(hashes))
	if err != nil {
		return nil, err
	}
	list := make([][]byte, len(hashes))
	for _, row := range rows {
		list[row.Parent-1] = row.ABI
	}
	return list, nil
}

// usesOfClasses reads contract_classes_class in order of blocks; only the
// contracts of one block have to be sorted.
const usesOfClasses = `/* class.uses */
	SELECT p.parent, x.felt AS contract, x.block, x.origin, NOT EXISTS (
		SELECT FROM contract_classes later
		CROSS JOIN LATERAL (SELECT FROM blocks WHERE chain = %[1]d AND block = later.block LIMIT 1) b
		WHERE later.chain = %[1]d AND later.address = x.address AND (later.block, later.origin) > (x.block, x.origin)) AS current
	FROM unnest($1::bytea[]) WITH ORDINALITY AS p (hash, parent)
	CROSS JOIN LATERAL (SELECT id FROM classes WHERE chain = %[1]d AND hash = p.hash LIMIT 1) k
	CROSS JOIN LATERAL (
		SELECT a.felt, h.address, h.block, h.origin FROM contract_classes h
		CROSS JOIN LATERAL (SELECT FROM blocks WHERE chain = %[1]d AND block = h.block LIMIT 1) b
		CROSS JOIN LATERAL (SELECT felt FROM addresses WHERE chain = %[1]d AND id = h.address LIMIT 1) a
		WHERE h.chain = %[1]d AND h.class = k.id AND h.block <= $2 AND (h.block < $2 OR (a.felt, h.origin) > ($3, $4))
		ORDER BY h.block DESC, a.felt, h.origin LIMIT %[2]d
	) x ORDER BY p.parent, x.block DESC, x.felt, x.origin`

type useRow struct {
	Parent   int64             `bun:"parent"`
	Contract starknet.Felt     `bun:"contract"`
	Block    model.BlockNumber `bun:"block"`
	Origin   model.Origin      `bun:"origin"`
	Current  bool              `bun:"current"`
}

// ClassUses implements chain.ClassIndex.
func (r Classes) ClassUses(ctx context.Context, c domain.Chain, hashes []starknet.Felt, page domain.PageRequest) ([]domain.Page[chain.ClassUse], error) {
	block, contract, origin := usedAfter(page.After)
	rows, err := repo.Select[useRow](ctx, r.db.Read(), repo.Text(usesOfClasses, model.Code(c), repo.RowsFor(page.Limit)),
		model.Bytes(hashes), block, contract[:], origin)
	if err != nil {
		return nil, err
	}
	lists, err := repo.ByParent(rows, len(hashes), func(row *useRow) (int64, chain.ClassUse, error) {
		return row.Parent, chain.ClassUse{
			Contract: row.Contract, Block: uint64(row.Block), Origin: facts.Origin(row.Origin), Current: row.Current,
		}, nil
	})
	if err != nil {
		return nil, err
	}
	pages := make([]domain.Page[chain.ClassUse], len(lists))
	for i, list := range lists {
		pages[i] = domain.CutPage(list, page.Limit, chain.ClassUse.Position)
	}
	return pages, nil
}

// usedAfter returns the arguments of a position in a list of uses. Without a
// position, the list begins at its first row.
func usedAfter(position domain.Position) (block int32, contract starknet.Felt, origin int16) {
	if len(position) != 6 {
		return math.MaxInt32, contract, 0
	}
	for i, word := range position[1:5] {
		binary.BigEndian.PutUint64(contract[8*i:], word)
	}
	return int32(position[0]), contract, int16(position[5])
}
