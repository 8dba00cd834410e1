package state

import (
	"slices"

	"astrolabe/starknet"
)

// History is the state after every retained block.
type History struct {
	cells   map[Cell][]version
	changed map[uint64][]Cell
}

// version is a cell's value since a block.
type version struct {
	block uint64
	value starknet.Felt
}

// NewHistory returns the empty state.
func NewHistory() *History {
	return &History{cells: map[Cell][]version{}, changed: map[uint64][]Cell{}}
}

// Read returns the newest value.
func (h *History) Read(c Cell) starknet.Felt {
	versions := h.cells[c]
	if len(versions) == 0 {
		return starknet.Felt{}
	}
	return versions[len(versions)-1].value
}

// At returns the state after a block. It is correct for retained blocks only.
func (h *History) At(block uint64) View { return View{h, block} }

// View is the state after one block.
type View struct {
	history *History
	block   uint64
}

// Read returns the value after the view's block.
func (v View) Read(c Cell) starknet.Felt {
	value, _ := v.Updated(c)
	return value
}

// Updated returns the value after the view's block and the block that wrote it, zero if
// none did.
func (v View) Updated(c Cell) (starknet.Felt, uint64) {
	versions := v.history.cells[c]
	for i := len(versions) - 1; i >= 0; i-- {
		if versions[i].block <= v.block {
			return versions[i].value, versions[i].block
		}
	}
	return starknet.Felt{}, 0
}

// Commit writes the changes of a block, which must be newer than every block before.
func (h *History) Commit(block uint64, changes []Change) {
	cells := make([]Cell, len(changes))
	for i, change := range changes {
		cells[i] = change.Cell
		h.cells[change.Cell] = append(h.cells[change.Cell], version{block, change.New})
	}
	h.changed[block] = cells
}

// Undo removes the newest block's changes.
func (h *History) Undo(block uint64) {
	for _, c := range h.changed[block] {
		versions := h.cells[c]
		if len(versions) == 1 {
			delete(h.cells, c)
			continue
		}
		h.cells[c] = versions[:len(versions)-1]
	}
	delete(h.changed, block)
}

// Retire drops the states before a block. The state after it stays readable,
// but the block can no longer be undone. Classes always stay readable, because
// they rarely change.
func (h *History) Retire(block uint64) {
	for _, c := range h.changed[block] {
		if c.Kind == ClassOf || c.Kind == Declared {
			continue
		}
		versions := h.cells[c]
		first := slices.IndexFunc(versions, func(v version) bool { return v.block == block })
		if first == len(versions)-1 && versions[first].value.IsZero() {
			delete(h.cells, c)
			continue
		}
		h.cells[c] = versions[first:] // the rest is freed when the list grows
	}
	delete(h.changed, block)
}

// Size returns the number of cells and of their stored values.
func (h *History) Size() (cells, versions int) {
	for _, v := range h.cells {
		versions += len(v)
	}
	return len(h.cells), versions
}
