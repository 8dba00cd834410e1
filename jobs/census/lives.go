package census

import (
	"context"
	"slices"

	"astrolabe/domain"
	"astrolabe/domain/facts"
	"astrolabe/domain/token"
	"astrolabe/starknet"
)

// lives reads what the tokens executed up to a block.
func (w *Worker) lives(ctx context.Context, c domain.Chain, upTo uint64, tokens []starknet.Felt) (map[starknet.Felt]token.Life, error) {
	implementations, err := w.Classes.ImplementationHistories(ctx, c, tokens)
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
	histories, err := w.Classes.ClassHistories(ctx, c, contracts)
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
	classes, err := w.Classes.Classes(ctx, c, hashes)
	if err != nil {
		return nil, err
	}
	untyped, err := w.Store.UntypedOf(ctx, c, tokens, facts.UntypedContract, 0, upTo)
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
