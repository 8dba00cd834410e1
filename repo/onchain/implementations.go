package onchain

import (
	"context"

	"astrolabe/domain"
	"astrolabe/domain/chain"
	"astrolabe/domain/facts"
	"astrolabe/domain/indexing"
	"astrolabe/repo"
	"astrolabe/repo/model"
	"astrolabe/starknet"
)

// Implementations reads what proxies execute.
type Implementations struct{ db *repo.DB }

var _ chain.ImplementationStore = Implementations{}

// NewImplementations returns the repository of implementations.
func NewImplementations(db *repo.DB) Implementations { return Implementations{db} }

// implementationsAround returns the slots of each contract in $1 up to its
// block in $2, by the primary key of contract_implementations: a slot has at
// most two rows in a block, so three rows include the one before. Slots that
// name a contract come with the newest classes of that contract, by the primary
// key of contract_classes.
const implementationsAround = `/* implementation.around */
	SELECT p.n, h.block, h.origin, f.family, h.class IS NOT NULL AS is_class, h.contract IS NOT NULL AS is_contract,
		(SELECT hash FROM classes WHERE chain = %[1]d AND id = h.class) AS class,
		(SELECT felt FROM addresses WHERE chain = %[1]d AND id = h.contract) AS contract,
		k.block AS contract_block, k.origin AS contract_origin, (SELECT hash FROM classes WHERE chain = %[1]d AND id = k.class) AS contract_class
	FROM unnest($1::bytea[], $2::integer[]) WITH ORDINALITY AS p (felt, block, n)
	CROSS JOIN LATERAL (SELECT id FROM addresses WHERE chain = %[1]d AND felt = p.felt LIMIT 1) a
	CROSS JOIN generate_series(0, %[2]d) AS f (family)
	CROSS JOIN LATERAL (
		SELECT block, origin, class, contract FROM contract_implementations
		WHERE chain = %[1]d AND address = a.id AND family = f.family AND block <= p.block ORDER BY block DESC, origin DESC LIMIT 3
	) h
	LEFT JOIN LATERAL (
		SELECT block, origin, class FROM contract_classes WHERE chain = %[1]d AND address = h.contract AND block <= p.block
		ORDER BY block DESC, origin DESC LIMIT 4
	) k ON true
	ORDER BY p.n, h.block, h.origin, f.family, k.block, k.origin`

// implementationRow is a row of implementationsAround: a slot, with one of the
// classes of the contract that it names.
type implementationRow struct {
	N              int64              `bun:"n"` // the position of the contract, from 1
	Block          model.BlockNumber  `bun:"block"`
	Origin         model.Origin       `bun:"origin"`
	Family         model.Family       `bun:"family"`
	IsClass        bool               `bun:"is_class"`
	IsContract     bool               `bun:"is_contract"`
	Class          *starknet.Felt     `bun:"class"`
	Contract       *starknet.Felt     `bun:"contract"`
	ContractBlock  *model.BlockNumber `bun:"contract_block"`
	ContractOrigin *model.Origin      `bun:"contract_origin"`
	ContractClass  *starknet.Felt     `bun:"contract_class"`
}

func implementationsStatement(c domain.Chain) string {
	return repo.Text(implementationsAround, model.Code(c), len(facts.ProxyFamilies)-1)
}

// ProxiedAt implements chain.ImplementationStore.
func (r Implementations) ProxiedAt(ctx context.Context, c domain.Chain, contracts []chain.ContractAt) ([]chain.Proxied, error) {
	addresses, blocks := make([]starknet.Felt, len(contracts)), make([]int32, len(contracts))
	for i := range contracts {
		addresses[i], blocks[i] = contracts[i].Address, model.ClipBlock(contracts[i].Block)
	}
	rows, err := repo.Select[implementationRow](ctx, r.db.Read(), implementationsStatement(c), model.Bytes(addresses), blocks)
	if err != nil {
		return nil, err
	}
	list := make([]chain.Proxied, len(contracts))
	for i := range rows {
		if !rows[i].addTo(&list[rows[i].N-1]) {
			return nil, &indexing.DamageError{Table: facts.TableImplementations, Block: rows[i].Block.Uint64(), What: "an id is in no dictionary"}
		}
	}
	return list, nil
}

// addTo adds the row to its contract. It returns false if the row names an id
// that its dictionary does not have.
func (r *implementationRow) addTo(p *chain.Proxied) bool {
	if r.IsClass != (r.Class != nil) || r.IsContract != (r.Contract != nil) {
		return false
	}
	slot := facts.ImplementationSince{
		Block: uint64(r.Block), Origin: facts.Origin(r.Origin), Family: facts.Family(r.Family),
		Executed: facts.Executed{Class: r.Class, Contract: r.Contract},
	}
	if n := len(p.Slots); n == 0 || p.Slots[n-1].Block != slot.Block || p.Slots[n-1].Origin != slot.Origin || p.Slots[n-1].Family != slot.Family {
		p.Slots = append(p.Slots, slot)
	}
	if r.ContractBlock == nil {
		return true
	}
	if r.ContractOrigin == nil || r.ContractClass == nil {
		return false
	}
	since := facts.ClassSince{Block: uint64(*r.ContractBlock), Origin: facts.Origin(*r.ContractOrigin), Class: *r.ContractClass}
	if p.Contracts == nil {
		p.Contracts = map[starknet.Felt]facts.ClassHistory{}
	}
	history := p.Contracts[*r.Contract]
	if n := len(history); n == 0 || history[n-1].Block < since.Block || history[n-1].Block == since.Block && history[n-1].Origin != since.Origin {
		p.Contracts[*r.Contract] = append(history, since)
	}
	return true
}
