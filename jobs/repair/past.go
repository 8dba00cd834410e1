package repair

import (
	"context"
	"slices"

	"astrolabe/domain"
	"astrolabe/domain/facts"
	"astrolabe/starknet"
)

// past is what is stored of the blocks before one, which is not damaged as far
// as digests say: it implements indexing.Histories.
type past struct {
	*Job
	before uint64
	at     starknet.Felt  // the block's hash
	own    []*facts.Class // stored classes that the block is said to name first
}

// Classes returns the classes that the block or earlier ones name. One whose
// digest does not hold comes from the node.
func (p *past) Classes(ctx context.Context, c domain.Chain, hashes []starknet.Felt) (map[starknet.Felt]*facts.Class, error) {
	known, err := p.Store.KnownClasses(ctx, c, hashes, p.before)
	if err != nil {
		return nil, err
	}
	classes := make(map[starknet.Felt]*facts.Class, len(known))
	for hash, stored := range known {
		if !stored.Earlier && stored.Block != p.before {
			continue
		}
		classes[hash] = stored.Class
		if !stored.Holds() || stored.Digest == nil {
			if classes[hash], err = p.fetchClass(ctx, p.at, hash, stored.StoredClass); err != nil {
				return nil, err
			}
		}
		if !stored.Earlier {
			p.own = append(p.own, classes[hash])
		}
		classes[hash] = p.corrected(classes[hash])
	}
	return classes, nil
}

// first returns the classes that the block names first: the given ones, and those
// that are stored.
func (p *past) first(fresh []*facts.Class) []*facts.Class {
	byHash := func(a, b *facts.Class) int { return a.Hash.Cmp(b.Hash) }
	all := slices.SortedStableFunc(slices.Values(append(fresh, p.own...)), byHash)
	return slices.CompactFunc(all, func(a, b *facts.Class) bool { return a.Hash == b.Hash })
}

// ClassHistories returns the classes of contracts up to the block.
func (p *past) ClassHistories(ctx context.Context, c domain.Chain, contracts []starknet.Felt) (map[starknet.Felt]facts.ClassHistory, error) {
	histories, err := p.Archive.ClassHistories(ctx, c, contracts)
	for contract, history := range histories {
		histories[contract] = slices.DeleteFunc(history, func(s facts.ClassSince) bool { return s.Block >= p.before })
	}
	return histories, err
}

// PrivacyPools returns the pools of the chain.
func (p *past) PrivacyPools(ctx context.Context, c domain.Chain) ([]starknet.Felt, error) {
	return p.Archive.PrivacyPools(ctx, c)
}

// ImplementationHistories returns the proxy slots of contracts up to the block.
func (p *past) ImplementationHistories(ctx context.Context, c domain.Chain, contracts []starknet.Felt) (map[starknet.Felt]facts.ImplementationHistory, error) {
	histories, err := p.Archive.ImplementationHistories(ctx, c, contracts)
	for contract, history := range histories {
		histories[contract] = slices.DeleteFunc(history, func(s facts.ImplementationSince) bool { return s.Block >= p.before })
	}
	return histories, err
}
