package fsck

import (
	"fmt"
	"slices"

	"astrolabe/domain/facts"
	"astrolabe/domain/indexing"
)

// rederived are the checks whose findings are repaired by rederiving the fact
// of the same name.
var rederived = []string{"transfers", "untyped_transfers", "activity", "deployments", "tokens", "schemas", "locators"}

// advise adds a repair to a finding that has none: derived rows are rederived,
// everything else is rolled back and indexed again.
func (l *inspection) advise(f *indexing.Finding, at *indexing.Checkpoint) {
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
	case f.Check == "token sums": // rederiving transfers rebuilds them
		f.Repair = l.rederive("transfers")
	case f.Check == "partition events":
		f.Repair = "none needed: the count only determines the size of the next partition"
	case f.Block == nil:
		f.Repair = l.rollbackAll()
	case at != nil && at.Block != nil && *f.Block > at.Block.Number:
		f.Repair = l.rollback(at.Block.Number+1, first)
	default:
		f.Repair = l.rollback(*f.Block, first)
	}
}

func (l *inspection) rederive(fact string) string {
	return fmt.Sprintf("astrolabe rederive %s --chain %s", fact, l.Chain)
}

// renew brings a fact to its current version.
func (l *inspection) renew(fact string) string {
	if !facts.Rederivable(fact) {
		return l.rollbackAll()
	}
	return l.rederive(fact)
}

// rollback removes a block and all later ones, so that the indexer fetches them
// again.
func (l *inspection) rollback(block, first uint64) string {
	if block <= first {
		return l.rollbackAll()
	}
	return fmt.Sprintf("astrolabe rollback --chain %s --to %d", l.Chain, block-1)
}

func (l *inspection) rollbackAll() string {
	return fmt.Sprintf("astrolabe rollback --chain %s --all", l.Chain)
}
