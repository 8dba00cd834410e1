package state

import (
	"slices"

	"astrolabe/starknet"
)

// Overlay collects writes on top of a state that it does not change. Writes can
// be reverted to a mark, as a failed transaction requires.
type Overlay struct {
	base    Reader
	writes  map[Cell]starknet.Felt
	journal []undo
}

type undo struct {
	cell     Cell
	previous starknet.Felt
	written  bool
}

// NewOverlay returns an overlay without writes.
func NewOverlay(base Reader) *Overlay {
	return &Overlay{base: base, writes: map[Cell]starknet.Felt{}}
}

// Read returns what was written last, or the base's value.
func (o *Overlay) Read(c Cell) starknet.Felt {
	if value, ok := o.writes[c]; ok {
		return value
	}
	return o.base.Read(c)
}

// Write sets a cell.
func (o *Overlay) Write(c Cell, value starknet.Felt) {
	previous, written := o.writes[c]
	o.journal = append(o.journal, undo{c, previous, written})
	o.writes[c] = value
}

// Mark returns the current position for Revert.
func (o *Overlay) Mark() int { return len(o.journal) }

// Revert undoes every write since the mark.
func (o *Overlay) Revert(mark int) {
	for _, u := range slices.Backward(o.journal[mark:]) {
		if u.written {
			o.writes[u.cell] = u.previous
		} else {
			delete(o.writes, u.cell)
		}
	}
	o.journal = o.journal[:mark]
}

// Change is a cell whose value differs from the base's.
type Change struct {
	Cell     Cell
	Old, New starknet.Felt
}

// Changes lists the differences from the base, in order of kind, address and
// key.
func (o *Overlay) Changes() []Change {
	changes := make([]Change, 0, len(o.writes))
	for c, value := range o.writes {
		if old := o.base.Read(c); old != value {
			changes = append(changes, Change{c, old, value})
		}
	}
	slices.SortFunc(changes, func(a, b Change) int { return compare(a.Cell, b.Cell) })
	return changes
}
