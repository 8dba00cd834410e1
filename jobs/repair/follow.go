package repair

import (
	"context"
	"slices"

	"astrolabe/domain/facts"
	"astrolabe/domain/indexing"
	"astrolabe/starknet"
)

// affected returns the contracts whose derived rows in later blocks may depend
// on what a repair changed: those whose class history changed, and the tokens
// that the block was wrongly said to show first.
func affected(stored, expected *facts.Block, forgotten []starknet.Felt) []starknet.Felt {
	contracts := slices.Clone(forgotten)
	var before []facts.ClassChange
	if stored != nil {
		before = stored.Changes
	}
	for _, change := range before {
		if !slices.Contains(expected.Changes, change) {
			contracts = append(contracts, change.Address)
		}
	}
	for _, change := range expected.Changes {
		if !slices.Contains(before, change) {
			contracts = append(contracts, change.Address)
		}
	}
	slices.SortFunc(contracts, starknet.Felt.Cmp)
	return slices.Compact(contracts)
}

// follow derives the rows of later blocks again that involve the contracts, and
// rewrites those that differ. A block that is damaged itself is left alone: it
// has its own repair.
func (j *Job) follow(ctx context.Context, lease indexing.Lease, number uint64, contracts []starknet.Felt) error {
	if len(contracts) == 0 {
		return nil
	}
	later, err := j.Store.BlocksOf(ctx, j.Chain, contracts, number+1)
	if err != nil {
		return err
	}
	rewritten, replay := 0, indexing.NewReplay(j.Chain, j.Archive)
	for _, block := range later {
		for run, err := range j.Archive.StoredRuns(ctx, j.Chain, block, block) {
			if err != nil || run.Check(j.Chain) != nil {
				j.report("block %d follows from block %d, but is damaged itself", block, number)
				break
			}
			derived, err := replay.Derive(ctx, run.Blocks, indexing.DerivedTables...)
			if err != nil {
				return err
			}
			seen, err := j.Archive.FirstSeen(ctx, j.Chain, block)
			if err != nil {
				return err
			}
			derived[0].Tokens = seen.First(block, derived[0].Tokens)
			if _, differ := facts.FirstDifference(&run.Blocks[0], &derived[0], indexing.DerivedTables...); !differ {
				continue
			}
			if err := j.Store.Rewrite(ctx, lease, indexing.Run{Range: run.Range, Blocks: derived}); err != nil {
				return err
			}
			rewritten++
		}
	}
	if rewritten > 0 {
		j.report("block %d: derived rows of %d later blocks rewritten", number, rewritten)
	}
	return nil
}
