package repair

import (
	"context"
	"slices"

	"astrolabe/domain/facts"
	"astrolabe/domain/indexing"
	"astrolabe/starknet"
)

// affected returns the contracts whose derived rows in later blocks may depend
// on what a repair changed: those whose class or proxy slots changed, and the
// tokens that the block was wrongly said to show first.
func affected(stored, expected *facts.Block, forgotten []starknet.Felt) []starknet.Felt {
	if stored == nil {
		stored = &facts.Block{}
	}
	contracts := slices.Clone(forgotten)
	contracts = append(contracts, differing(stored.Changes, expected.Changes, func(a, b facts.ClassChange) bool { return a == b },
		func(c facts.ClassChange) starknet.Felt { return c.Address })...)
	contracts = append(contracts, differing(stored.Implementations, expected.Implementations, facts.Implementation.Equal,
		func(i facts.Implementation) starknet.Felt { return i.Address })...)
	slices.SortFunc(contracts, starknet.Felt.Cmp)
	return slices.Compact(contracts)
}

// differing returns the contracts of the rows that only one of two lists has.
func differing[T any](a, b []T, equal func(a, b T) bool, contract func(T) starknet.Felt) (contracts []starknet.Felt) {
	for _, lists := range [][2][]T{{a, b}, {b, a}} {
		for _, row := range lists[0] {
			if !slices.ContainsFunc(lists[1], func(other T) bool { return equal(row, other) }) {
				contracts = append(contracts, contract(row))
			}
		}
	}
	return contracts
}

// follow derives the rows of later blocks again that involve the contracts.
func (j *Job) follow(ctx context.Context, lease indexing.Lease, number uint64, contracts []starknet.Felt) error {
	if len(contracts) == 0 {
		return nil
	}
	later, err := j.Store.BlocksOf(ctx, j.Chain, contracts, number+1)
	if err != nil {
		return err
	}
	rewritten, replay := 0, j.replay()
	for _, block := range later {
		changed, err := j.rederive(ctx, lease, replay, block)
		if err != nil {
			return err
		}
		if changed {
			rewritten++
		}
	}
	if rewritten > 0 {
		j.report("block %d: derived rows of %d later blocks rewritten", number, rewritten)
	}
	return nil
}

// rederive derives the rows of a stored block again, and rewrites them if they
// differ. A block that is damaged itself is left alone: it has its own repair.
func (j *Job) rederive(ctx context.Context, lease indexing.Lease, replay *indexing.Replay, number uint64) (changed bool, err error) {
	for run, err := range j.Archive.StoredRuns(ctx, j.Chain, number, number) {
		if err != nil || run.Check(j.Chain) != nil {
			j.report("block %d has to be derived again, but is damaged itself", number)
			return false, nil
		}
		derived, err := replay.Derive(ctx, run.Blocks, indexing.DerivedTables...)
		if err != nil {
			return false, err
		}
		seen, err := j.Archive.FirstSeen(ctx, j.Chain, number)
		if err != nil {
			return false, err
		}
		derived[0].Tokens = seen.First(number, derived[0].Tokens)
		if _, changed = facts.FirstDifference(&run.Blocks[0], &derived[0], indexing.DerivedTables...); changed {
			return true, j.Store.Rewrite(ctx, lease, indexing.Run{Range: run.Range, Blocks: derived})
		}
	}
	return changed, nil
}
