package fsck

import (
	"slices"

	"astrolabe/domain/facts"
	"astrolabe/domain/indexing"
)

// advise adds a repair to a finding that has none: derived rows are rederived,
// unless the rows that they come from are damaged, and everything else is
// repaired from the node.
func (l *inspection) advise(f *indexing.Finding) {
	advice := indexing.Advice(l.Chain)
	switch {
	case f.Repair != "":
	case f.Block != nil && l.altered[*f.Block]:
		f.Repair = advice.Block(*f.Block, *f.Block)
	case f.Check == "locators", slices.Contains(indexing.DerivedTables, facts.Table(f.Check)):
		f.Repair = advice.Rederive(f.Check)
	case f.Block != nil:
		f.Repair = advice.Block(*f.Block, *f.Block)
	default:
		f.Repair = advice.Rederive("schemas")
	}
}
