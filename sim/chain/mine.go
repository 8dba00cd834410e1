package chain

import (
	"errors"
	"fmt"
	"slices"

	"astrolabe/sim/vm"
	"astrolabe/starknet"
)

// ErrRecorded reports an operation that a replayed chain does not support.
var ErrRecorded = errors.New("a recorded chain cannot be changed")

// Mine adds n blocks. A replayed chain returns ErrRecordingEnded when it has no more.
func (c *Chain) Mine(n int) error {
	for range n {
		if err := c.mineOne(); err != nil {
			return err
		}
	}
	return nil
}

func (c *Chain) mineOne() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.recording != nil {
		change, err := c.playNext(c.recording)
		if err == nil {
			c.tell(change)
		}
		return err
	}
	block, err := c.extend()
	if err != nil {
		return err
	}
	c.tell(Change{Added: []*Block{block}})
	return nil
}

// extend builds the next block: clients' transactions, then transactions that a
// reorg orphaned, then those of the script.
func (c *Chain) extend() (*Block, error) {
	b := c.preConfirmed()
	memory := c.config.Script.Save()
	for _, t := range c.orphans {
		if t.Type == starknet.L1Handler || b.Rand.IntN(3) > 0 {
			_, _ = b.Add(t) // one that is no longer valid is dropped, as a sequencer would do
		}
	}
	err := c.config.Script.Play(b)
	if err == nil {
		err = c.commit(b, memory)
	}
	if err != nil { // restore the state before the attempt
		c.pending = nil
		c.config.Script.Restore(memory)
		return nil, fmt.Errorf("block %d: %w", b.Header.BlockNumber, err)
	}
	c.orphans = nil
	return c.head, nil
}

// preConfirmed returns the next block with the pool's transactions. They were
// admitted in this order on this state, so they are valid.
func (c *Chain) preConfirmed() *Builder {
	if c.pending != nil {
		return c.pending
	}
	c.pending = c.builder()
	admitted := c.pool[:0]
	for _, t := range c.pool {
		if _, err := c.pending.add(t, vm.Flags{}); err == nil {
			admitted = append(admitted, t)
		}
	}
	c.pool = admitted
	return c.pending
}

// ErrAcceptedOnL1 reports blocks that cannot be replaced any more.
var ErrAcceptedOnL1 = errors.New("the block is accepted on L1")

// Reorg replaces the newest blocks by as many others. It fails if they are not
// all in the window, include block 0 or are accepted on L1, but the latter may
// be replaced anyway.
func (c *Chain) Reorg(depth int, anyway bool) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := c.removable(depth, anyway); err != nil {
		return err
	}
	change := Change{Removed: make([]*Block, depth)}
	for i := depth - 1; i >= 0; i-- {
		pooled := c.blocks[c.head.Header.BlockNumber].pooled
		b := c.takeBack()
		// Clients' transactions return to the pool; the others may be included
		// again.
		c.pool = slices.Concat(b.Transactions[:pooled], c.pool)
		c.orphans = slices.Concat(b.Transactions[pooled:], c.orphans)
		change.Removed[i] = b
	}
	c.branch++
	c.pending = nil
	defer func() { c.tell(change) }()
	for range depth {
		block, err := c.extend()
		if err != nil {
			return err
		}
		change.Added = append(change.Added, block)
	}
	return nil
}

// removable reports why the newest blocks cannot be removed.
func (c *Chain) removable(depth int, anyway bool) error {
	if c.recording != nil {
		return ErrRecorded
	}
	head := c.head.Header.BlockNumber
	if depth < 1 || uint64(depth) > head-c.oldest {
		return fmt.Errorf("%w: cannot remove %d of %d blocks", ErrNotRetained, depth, head-c.oldest)
	}
	if l1 := c.l1Head(); !anyway && head-uint64(depth) < l1 {
		return fmt.Errorf("%w: cannot remove %d blocks, the newest that is accepted is %d of %d", ErrAcceptedOnL1, depth, l1, head)
	}
	return nil
}

// takeBack undoes the head.
func (c *Chain) takeBack() *Block {
	number := c.head.Header.BlockNumber
	gone := c.blocks[number]
	c.history.Undo(number)
	if c.config.Script != nil { // a replayed chain has none
		c.config.Script.Restore(gone.memory)
	}
	delete(c.blocks, number)
	c.forget(gone.Block)
	c.head = c.blocks[number-1].Block
	return gone.Block
}
