package fsck

import (
	"fmt"
	"slices"

	"astrolabe/domain/indexing"
)

// rederived are the checks whose findings their own rederivation repairs.
var rederived = []string{"transfers", "activity", "deployments", "tokens", "schemas", "locators"}

// advise says how to repair a finding that does not say it itself: derived
// rows are made again, anything else is undone and indexed again.
func (l *look) advise(f *indexing.Finding, at *indexing.Checkpoint) {
	if f.Repair != "" {
		return
	}
	first := uint64(0)
	if at != nil {
		first = at.First
	}
	switch {
	case slices.Contains(rederived, f.Check):
		f.Repair = l.rederive(f.Check)
	case f.Check == "token sums": // which are made anew when the transfers are
		f.Repair = l.rederive("transfers")
	case f.Check == "range events":
		f.Repair = "none is needed: the count only sizes the next range"
	case f.Block == nil:
		f.Repair = l.rollbackAll()
	case at != nil && at.Block != nil && *f.Block > at.Block.Number:
		f.Repair = l.rollback(at.Block.Number+1, first)
	default:
		f.Repair = l.rollback(*f.Block, first)
	}
}

func (l *look) rederive(fact string) string {
	return fmt.Sprintf("astrolabe rederive %s --chain %s", fact, l.Chain)
}

// rollback undoes a block and all after it, for the index to read them again.
func (l *look) rollback(block, first uint64) string {
	if block <= first {
		return l.rollbackAll()
	}
	return fmt.Sprintf("astrolabe rollback --chain %s --to %d", l.Chain, block-1)
}

func (l *look) rollbackAll() string {
	return fmt.Sprintf("astrolabe rollback --chain %s --all", l.Chain)
}
