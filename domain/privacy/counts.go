package privacy

import "astrolabe/domain/facts"

// Counts is how many events there are of each variant.
type Counts map[facts.PoolVariant]uint64

// Of returns how many events of some variants there are.
func (c Counts) Of(variants ...facts.PoolVariant) uint64 {
	var sum uint64
	for _, v := range variants {
		sum += c[v]
	}
	return sum
}

// Total returns how many events there are.
func (c Counts) Total() uint64 { return c.Of(facts.PoolVariants...) }

// Count is how many events have a name.
type Count struct {
	Name   string
	Events uint64
}

// Breakdown returns the counts of the variants that have events, in the order of
// facts.PoolVariants.
func (c Counts) Breakdown() []Count {
	list := []Count{}
	for _, v := range facts.PoolVariants {
		if c[v] > 0 {
			list = append(list, Count{string(v), c[v]})
		}
	}
	return list
}

// ByVisibility returns the counts of each visibility, from the most open.
func (c Counts) ByVisibility() []Count {
	list := make([]Count, len(Visibilities))
	for i, visibility := range Visibilities {
		list[i].Name = string(visibility)
		for v, events := range c {
			if VisibilityOf(v) == visibility {
				list[i].Events += events
			}
		}
	}
	return list
}

// Deposits returns how many events moved tokens into a pool, open notes
// included.
func (c Counts) Deposits() uint64 { return c.Of(facts.PoolDeposit, facts.OpenNoteDeposited) }

// Commitments returns how many events created a note.
func (c Counts) Commitments() uint64 { return c.Of(facts.OpenNoteCreated, facts.EncNoteCreated) }
