package chain

import (
	"slices"

	"astrolabe/sim/state"
	"astrolabe/starknet"
)

// Head returns the newest block.
func (c *Chain) Head() *Block {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return c.head
}

// L1Head returns the number of the newest block that is accepted on L1.
func (c *Chain) L1Head() uint64 {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return c.l1Head()
}

func (c *Chain) l1Head() uint64 {
	head := c.head.Header.BlockNumber
	return max(head-min(head, c.config.L1Lag), min(head, c.accepted))
}

// Finality returns the finality of a block.
func (c *Chain) Finality(number uint64) starknet.FinalityStatus {
	if number <= c.L1Head() {
		return starknet.AcceptedOnL1
	}
	return starknet.AcceptedOnL2
}

// Oldest returns the oldest block whose state can be read.
func (c *Chain) Oldest() uint64 {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return c.oldest
}

// Block returns a block by its number. It returns ErrNoBlock above the head and
// ErrNotRetained for a block that was dropped.
func (c *Chain) Block(number uint64) (*Block, error) {
	c.mu.RLock()
	if b, ok := c.blocks[number]; ok {
		c.mu.RUnlock()
		return b.Block, nil
	}
	head := c.head.Header.BlockNumber
	c.mu.RUnlock()
	if number > head {
		return nil, ErrNoBlock
	}
	if c.config.Archive == nil {
		return nil, ErrNotRetained
	}
	b, err := c.config.Archive.Block(number)
	if err == nil && b == nil {
		err = ErrNotRetained
	}
	return b, err
}

// BlockByHash returns a block on the chain by its hash.
func (c *Chain) BlockByHash(hash starknet.Felt) (*Block, error) {
	c.mu.RLock()
	number, ok := c.hashes[hash]
	c.mu.RUnlock()
	if !ok {
		return nil, ErrNoBlock
	}
	b, err := c.Block(number)
	if err == nil && b.Header.BlockHash != hash {
		return nil, ErrNoBlock // a reorg happened in between
	}
	return b, err
}

// HashAt returns the hash of a block by its number, also of a dropped block.
func (c *Chain) HashAt(number uint64) (starknet.Felt, bool) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	if number > c.head.Header.BlockNumber {
		return starknet.Felt{}, false
	}
	return c.line[number], true
}

// NumberOf returns the number of a block of the chain.
func (c *Chain) NumberOf(hash starknet.Felt) (uint64, bool) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	number, ok := c.hashes[hash]
	return number, ok && c.line[number] == hash
}

// Find returns the position of a transaction in a block that can be read.
func (c *Chain) Find(transaction starknet.Felt) (Place, bool) {
	c.mu.RLock()
	place, found := c.places[transaction]
	number, archived := c.archived[ending(transaction)]
	c.mu.RUnlock()
	if found || !archived {
		return place, found
	}
	b, err := c.config.Archive.Block(uint64(number))
	if err != nil || b == nil {
		return Place{}, false
	}
	i := slices.IndexFunc(b.Transactions, func(t starknet.Transaction) bool { return t.Hash == transaction })
	return Place{uint64(number), i}, i >= 0
}

// ReadAt calls f with the state after a block of the window, or returns
// ErrNotRetained or ErrNoBlock. The chain does not change while f runs.
func (c *Chain) ReadAt(number uint64, f func(view state.View, b *Block) error) error {
	c.mu.RLock()
	defer c.mu.RUnlock()
	b, ok := c.blocks[number]
	switch {
	case ok:
		return f(c.history.At(number), b.Block)
	case number > c.head.Header.BlockNumber:
		return ErrNoBlock
	}
	return ErrNotRetained
}

// ReadClasses calls f with the state after any block that can be read. Only
// classes are correct in it: those of contracts and the declared ones. It
// returns ErrNoBlock if the block is not on the chain.
func (c *Chain) ReadClasses(hash starknet.Felt, f func(view state.View) error) error {
	c.mu.RLock()
	defer c.mu.RUnlock()
	number, ok := c.hashes[hash]
	if !ok {
		return ErrNoBlock
	}
	return f(c.history.At(number))
}

// Script calls f with the chain's script while no block is built.
func (c *Chain) Script(f func(Script)) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	f(c.config.Script)
}

// Kept counts what a chain holds in memory.
type Kept struct {
	Blocks, Transactions, Cells, Versions int
}

// Kept returns the current counts.
func (c *Chain) Kept() Kept {
	c.mu.RLock()
	defer c.mu.RUnlock()
	cells, versions := c.history.Size()
	return Kept{len(c.blocks), len(c.places), cells, versions}
}
