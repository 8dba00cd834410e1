package state

import (
	"math/rand/v2"
	"reflect"
	"testing"

	"astrolabe/starknet"
)

func felt(v uint64) starknet.Felt { return starknet.FeltFromUint64(v) }

// TestEveryRetainedBlockReadsAsItWas commits random blocks, undoes some, and
// compares every retained state with a copy from the time of its commit.
func TestEveryRetainedBlockReadsAsItWas(t *testing.T) {
	t.Parallel()
	chance := rand.New(rand.NewPCG(1, 2))
	h := NewHistory()
	var cells []Cell
	for i := range uint64(12) {
		cells = append(cells, StorageCell(felt(i%3+1), felt(i)))
	}
	copies := map[uint64]map[Cell]starknet.Felt{}
	now := map[Cell]starknet.Felt{}
	block, oldest := uint64(0), uint64(0)
	for range 500 {
		if chance.IntN(4) == 0 && block > oldest+1 {
			block--
			h.Undo(block)
			now = map[Cell]starknet.Felt{}
			for c, v := range copies[block-1] {
				now[c] = v
			}
			continue
		}
		o := NewOverlay(h)
		for range chance.IntN(5) {
			o.Write(cells[chance.IntN(len(cells))], felt(chance.Uint64N(4)))
		}
		changes := o.Changes()
		h.Commit(block, changes)
		saved := map[Cell]starknet.Felt{}
		for _, c := range changes {
			now[c.Cell] = c.New
		}
		for c, v := range now {
			saved[c] = v
		}
		copies[block] = saved
		block++
		if block-oldest > 10 {
			oldest++
			h.Retire(oldest)
		}
		for b := oldest; b < block; b++ {
			for _, c := range cells {
				if got := h.At(b).Read(c); got != copies[b][c] {
					t.Fatalf("block %d of %d–%d, %v: got %s, want %s", b, oldest, block-1, c, got, copies[b][c])
				}
			}
		}
	}
}

func TestRevertedWritesLeaveNothing(t *testing.T) {
	t.Parallel()
	base := NewHistory()
	cell, other := StorageCell(felt(1), felt(1)), NonceCell(felt(2))
	base.Commit(0, []Change{{Cell: cell, New: felt(5)}})
	o := NewOverlay(base)
	o.Write(cell, felt(6))
	mark := o.Mark()
	o.Write(cell, felt(7))
	o.Write(other, felt(8))
	o.Revert(mark)
	if o.Read(cell) != felt(6) || !o.Read(other).IsZero() {
		t.Errorf("got the cells %s and %s, want %s and 0", o.Read(cell), o.Read(other), felt(6))
	}
	o.Write(cell, felt(5))
	if changes := o.Changes(); len(changes) != 0 {
		t.Errorf("got the changes %v, want none where the end is as the beginning", changes)
	}
}

func TestDifferencesAreRebuiltFromTheNodesForm(t *testing.T) {
	t.Parallel()
	o := NewOverlay(NewHistory())
	o.Write(ClassCell(felt(1)), felt(10))
	o.Write(NonceCell(felt(1)), felt(1))
	o.Write(DeclaredCell(felt(10)), felt(11))
	o.Write(StorageCell(felt(1), felt(2)), felt(3))
	o.Write(StorageCell(felt(1), felt(4)), felt(5))
	o.Write(StorageCell(felt(6), felt(4)), felt(5))
	diff := Diff(o.Changes())
	if len(diff.StorageDiffs) != 2 || len(diff.DeployedContracts) != 1 || len(diff.DeclaredClasses) != 1 || len(diff.Nonces) != 1 {
		t.Errorf("got %+v, want two cells, and one contract, class and nonce", diff)
	}
	second := NewOverlay(NewHistory())
	for _, c := range Changes(diff) {
		second.Write(c.Cell, c.New)
	}
	if !reflect.DeepEqual(o.Changes(), second.Changes()) {
		t.Errorf("got the changes %v, want %v", second.Changes(), o.Changes())
	}
}
