package chain

import (
	"context"

	"astrolabe/domain"
	"astrolabe/domain/facts"
	"astrolabe/starknet"
)

// Accounts reports which contracts are accounts by the class that they execute
// after a block. classes are those of the contracts themselves. Only proxies have
// a result: nil if it is unknown what they execute.
func (s *Implementations) Accounts(ctx context.Context, c domain.Chain, block uint64, classes map[starknet.Felt]starknet.Felt) (map[starknet.Felt]*bool, error) {
	if len(classes) == 0 {
		return nil, nil
	}
	hashes, contracts := make([]starknet.Felt, 0, len(classes)), make([]ContractAt, 0, len(classes))
	for address, hash := range classes {
		hashes, contracts = append(hashes, hash), append(contracts, ContractAt{address, block})
	}
	compiled, err := s.classes.Of(ctx, c, hashes)
	if err != nil {
		return nil, err
	}
	runtimes := make([]facts.Runtime, len(hashes))
	for i, hash := range hashes {
		runtimes[i] = facts.Runtime{Before: compiled[hash], After: compiled[hash]}
	}
	if err := s.Fill(ctx, c, contracts, runtimes); err != nil {
		return nil, err
	}
	accounts := map[starknet.Felt]*bool{}
	for i := range runtimes {
		if runtimes[i].After.Families() != nil {
			accounts[contracts[i].Address] = accountOf(runtimes[i].ImplementationAfter)
		}
	}
	return accounts, nil
}

// accountOf reports whether a class is an account's; nil if its ABI is unknown.
func accountOf(class *facts.Class) *bool {
	if class == nil || class.ABI == nil {
		return nil
	}
	return &class.Account
}
