package index

import (
	"context"
	"fmt"

	"astrolabe/domain"
	"astrolabe/domain/facts"
	"astrolabe/repo"
	"astrolabe/repo/model"
	"astrolabe/starknet"
)

// implementationRow is a row of contract_implementations with its felts, nil
// where a dictionary does not have the id.
type implementationRow struct {
	model.ContractImplementation
	Felt         *starknet.Felt `bun:"felt"` // of the proxy
	Hash         *starknet.Felt `bun:"hash"` // of the class
	ContractFelt *starknet.Felt `bun:"contract_felt"`
}

func (r *implementationRow) executed() facts.Executed {
	return facts.Executed{Class: r.Hash, Contract: r.ContractFelt}
}

// implementationsOf selects implementationRows h of addresses a; %[1]d is the
// chain.
func implementationsOf(name, condition, order string) string {
	return `/* ` + name + ` */
		SELECT h.block, h.origin, h.family, h.class, h.contract, a.felt, k.hash, t.felt AS contract_felt
		FROM contract_implementations h
		LEFT JOIN addresses a ON a.chain = %[1]d AND a.id = h.address
		LEFT JOIN classes k ON k.chain = %[1]d AND k.id = h.class
		LEFT JOIN addresses t ON t.chain = %[1]d AND t.id = h.contract
		WHERE ` + condition + ` ORDER BY ` + order
}

// ImplementationHistories implements indexing.Histories.
func (a Archive) ImplementationHistories(ctx context.Context, c domain.Chain, contracts []starknet.Felt) (map[starknet.Felt]facts.ImplementationHistory, error) {
	// Finds contracts by the unique felt of addresses, and their rows by primary
	// key.
	rows, err := repo.Select[implementationRow](ctx, a.db.Write(), fmt.Sprintf(implementationsOf("implementation.history",
		"h.chain = %[1]d AND a.felt = ANY($1) AND h.address = ANY(ARRAY(SELECT id FROM addresses WHERE chain = %[1]d AND felt = ANY($1)))",
		"h.address, h.block, h.origin, h.family"), model.Code(c)), model.Bytes(contracts))
	if err != nil {
		return nil, err
	}
	histories := make(map[starknet.Felt]facts.ImplementationHistory)
	for i := range rows {
		r := &rows[i]
		histories[*r.Felt] = append(histories[*r.Felt], facts.ImplementationSince{
			Block: uint64(r.Block), Origin: facts.Origin(r.Origin), Family: facts.Family(r.Family), Executed: r.executed(),
		})
	}
	return histories, nil
}
