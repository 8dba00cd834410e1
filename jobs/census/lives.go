package census

import (
	"context"
	"slices"

	"astrolabe/domain"
	"astrolabe/domain/facts"
	"astrolabe/domain/indexing"
	"astrolabe/domain/token"
	"astrolabe/starknet"
)

// Untyped tells which contracts emitted transfers that cannot be typed.
type Untyped interface {
	UntypedOf(ctx context.Context, c domain.Chain, addresses []starknet.Felt, role facts.UntypedRole, from, to uint64) ([]bool, error)
}

// Lives reads what tokens executed up to a block.
func Lives(ctx context.Context, stored indexing.Histories, evidence Untyped, c domain.Chain, upTo uint64, tokens []starknet.Felt) (map[starknet.Felt]token.Life, error) {
	implementations, err := stored.ImplementationHistories(ctx, c, tokens)
	if err != nil {
		return nil, err
	}
	contracts := slices.Clone(tokens)
	named := make(map[starknet.Felt]bool)
	for _, slots := range implementations {
		for i := range slots {
			if slots[i].Contract != nil {
				contracts = append(contracts, *slots[i].Contract)
			}
			if slots[i].Class != nil {
				named[*slots[i].Class] = true
			}
		}
	}
	histories, err := stored.ClassHistories(ctx, c, contracts)
	if err != nil {
		return nil, err
	}
	for contract, history := range histories {
		for len(history) > 0 && history[len(history)-1].Block > upTo {
			history = history[:len(history)-1]
		}
		histories[contract] = history
		for i := range history {
			named[history[i].Class] = true
		}
	}
	hashes := make([]starknet.Felt, 0, len(named))
	for hash := range named {
		hashes = append(hashes, hash)
	}
	classes, err := stored.Classes(ctx, c, hashes)
	if err != nil {
		return nil, err
	}
	untyped, err := evidence.UntypedOf(ctx, c, tokens, facts.UntypedContract, 0, upTo)
	if err != nil {
		return nil, err
	}
	lives := make(map[starknet.Felt]token.Life, len(tokens))
	for i, contract := range tokens {
		slots := implementations[contract]
		for len(slots) > 0 && slots[len(slots)-1].Block > upTo {
			slots = slots[:len(slots)-1]
		}
		life := token.Life{History: histories[contract], Classes: classes, Implementations: slots, Untyped: untyped[i]}
		for j := range slots {
			if named := slots[j].Contract; named != nil {
				if life.Contracts == nil {
					life.Contracts = map[starknet.Felt]facts.ClassHistory{}
				}
				life.Contracts[*named] = histories[*named]
			}
		}
		lives[contract] = life
	}
	return lives, nil
}
