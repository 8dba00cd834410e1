package fsck

import (
	"context"
	"errors"
	"fmt"

	"astrolabe/domain/indexing"
)

// base compares the base rows of every block with the digest that was committed
// with them, and every message with its hash.
func (l *inspection) base(ctx context.Context) error {
	if l.result.Blocks == 0 {
		return nil
	}
	for from := l.result.First; from <= l.result.Last && !l.full(); {
		next, err := l.baseFrom(ctx, from, l.result.Last)
		if err != nil {
			return err
		}
		from = next
	}
	l.endStretch()
	if len(l.altered) > 0 {
		l.result.Notes = append(l.result.Notes, "rows derived from base rows were not compared: repair the damaged blocks first")
	}
	if l.unchecked > 0 {
		l.result.Notes = append(l.result.Notes, fmt.Sprintf(
			"%d blocks were indexed before digests existed and have none; only a comparison with a node finds changes in them, and astrolabe repair --block adds a digest", l.unchecked))
	}
	return nil
}

// baseFrom checks blocks up to one that cannot be read, and returns the block to
// continue with.
func (l *inspection) baseFrom(ctx context.Context, from, to uint64) (next uint64, err error) {
	for run, err := range l.Archive.StoredRuns(ctx, l.Chain, from, to) {
		damage, damaged := errors.AsType[*indexing.DamageError](err)
		switch {
		case damaged && damage.Block != nil && *damage.Block >= from && *damage.Block <= to:
			if at := *damage.Block; at > from { // the blocks before it in the same run
				if _, err := l.baseFrom(ctx, from, at-1); err != nil {
					return 0, err
				}
			}
			l.alter(*damage.Block, damage.Error())
			return *damage.Block + 1, nil
		case damaged:
			l.found(indexing.Finding{Check: "rows", Block: damage.Block, Detail: damage.Error()})
			return to + 1, nil
		case err != nil:
			return 0, err
		}
		for i := range run.Blocks {
			l.checkBase(run, i)
		}
		from = run.Blocks[len(run.Blocks)-1].Header.Number + 1
		l.report("checking base rows: at block %d of %d", from-1, l.result.Last)
	}
	return to + 1, nil
}

func (l *inspection) checkBase(run indexing.Run, i int) {
	block := &run.Blocks[i]
	if run.Digests[i] == nil {
		l.unchecked++
	}
	if !run.Holds(i) {
		l.alter(block.Header.Number, "rows were changed, added or removed: they do not match the digest that was committed with them")
		return
	}
	for j := range block.Messages {
		if m := &block.Messages[j]; !m.HashHolds() {
			l.alter(block.Header.Number, fmt.Sprintf("message %d of transaction %d does not have the hash %s", m.Index, m.TxIndex, m.Hash))
			return
		}
	}
}

// stretch is a run of consecutive damaged blocks, which one command repairs.
type stretch struct {
	first, last uint64
	detail      string
}

// alter records that the base rows of a block are not those that were committed.
func (l *inspection) alter(number uint64, detail string) {
	l.altered[number] = true
	if l.stretch != nil && l.stretch.last+1 == number {
		l.stretch.last = number
		return
	}
	l.endStretch()
	l.stretch = &stretch{number, number, detail}
}

// endStretch turns the current stretch into a finding.
func (l *inspection) endStretch() {
	s := l.stretch
	if s == nil {
		return
	}
	l.stretch = nil
	detail := s.detail
	if s.last > s.first {
		detail = fmt.Sprintf("blocks %d to %d: %s", s.first, s.last, detail)
	}
	l.found(indexing.Finding{Check: "base rows", Block: &s.first, Detail: detail, Repair: indexing.Advice(l.Chain).Block(s.first, s.last)})
}
