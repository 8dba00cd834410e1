package fsck

import (
	"context"

	"astrolabe/domain/facts"
	"astrolabe/domain/indexing"
)

// derived runs the derivers again over the stored blocks.
func (l *inspection) derived(ctx context.Context) error {
	seen, err := l.Archive.FirstSeen(ctx, l.Chain, l.result.First)
	if err != nil {
		return err
	}
	return l.compare(ctx, "deriving", l.result.Last, indexing.DerivedTables, func(ctx context.Context, stored []facts.Block) ([]facts.Block, error) {
		derived, err := l.replay.Derive(ctx, stored, indexing.DerivedTables...)
		for i := range derived {
			derived[i].Tokens = seen.First(derived[i].Header.Number, derived[i].Tokens)
		}
		return derived, err
	})
}

// expectation returns the expected content of stored blocks. It may return
// fewer blocks, from the first on, with an absentError.
type expectation func(ctx context.Context, stored []facts.Block) ([]facts.Block, error)

// compare reads every block up to the last and finds its first difference from the expected
// content. A difference counts only if a second read confirms it, because the
// index may have changed in between. Blocks that cannot be read were found
// before. Nothing is compared while rows are of other versions, or while base rows
// are damaged: what follows from them would differ in other blocks, too. It ends
// at a block that left the chain, because all later ones leave it, too.
func (l *inspection) compare(ctx context.Context, doing string, last uint64, tables []facts.Table, expect expectation) error {
	if l.result.Blocks == 0 || l.outdated || len(l.altered) > 0 {
		return nil
	}
	for run, err := range l.Archive.StoredRuns(ctx, l.Chain, l.result.First, last) {
		if err != nil {
			return l.damage(err)
		}
		expected, err := expect(ctx, run.Blocks)
		if err != nil && !isAbsent(err) {
			return err
		}
		for i := range expected {
			if l.full() || l.left {
				return nil
			}
			if _, differ := facts.FirstDifference(&run.Blocks[i], &expected[i], tables...); !differ {
				continue
			}
			if err := l.again(ctx, run.Blocks[i].Header.Number, tables, expect); err != nil {
				return err
			}
		}
		if err != nil {
			l.absent(err)
			return nil
		}
		l.report("%s: at block %d of %d", doing, run.Blocks[len(run.Blocks)-1].Header.Number, last)
	}
	return nil
}

// again compares one block a second time and records the remaining difference.
func (l *inspection) again(ctx context.Context, number uint64, tables []facts.Table, expect expectation) error {
	for run, err := range l.Archive.StoredRuns(ctx, l.Chain, number, number) {
		if err != nil {
			return l.damage(err)
		}
		expected, err := expect(ctx, run.Blocks)
		if err != nil {
			if !isAbsent(err) {
				return err
			}
			l.absent(err)
			return nil
		}
		if d, differ := facts.FirstDifference(&run.Blocks[0], &expected[0], tables...); differ {
			l.found(indexing.Finding{Check: string(d.Table), Block: &d.Block, Detail: d.String(), Repair: l.remedy(d, &run.Blocks[0], &expected[0])})
		}
	}
	return nil
}

// remedy returns the repair of a difference, if it does not follow from its
// table. A block whose rows are those that were committed, but whose hash the
// node does not have, left the chain. A class is repaired as such.
func (l *inspection) remedy(d facts.Difference, stored, expected *facts.Block) string {
	advice := indexing.Advice(l.Chain)
	switch {
	case d.Table == facts.TableBlocks && stored.Header.Hash != expected.Header.Hash:
		l.left = true
		l.note("blocks after %d were not compared with the node, because the rollback removes them too", d.Block)
		return advice.Rollback(d.Block, l.first)
	case d.Table == facts.TableClasses && len(stored.Classes) == len(expected.Classes):
		for i := range stored.Classes {
			if stored.Classes[i].Digest() != expected.Classes[i].Digest() {
				return advice.Class(stored.Classes[i].Hash)
			}
		}
	}
	return ""
}
