package chain

import (
	"encoding/binary"
	"errors"
	"sync"

	"astrolabe/sim/state"
	"astrolabe/sim/vm"
	"astrolabe/starknet"
)

// Config describes a chain.
type Config struct {
	Seed    uint64
	Genesis uint64 // timestamp of block 0
	Spacing uint64 // seconds between blocks, at least
	// Window is the number of newest blocks that keep their state; without an
	// Archive, only they can be read.
	Window int
	// L1Lag is how many blocks L1 acceptance is behind the head.
	L1Lag   uint64
	Machine *vm.Machine
	Script  Script
	// Archive keeps every block; nil keeps the window only.
	Archive Archive
	// Bring registers a client's class when a recording is replayed.
	Bring func(Foreign)
}

// Archive keeps blocks that have left the window.
type Archive interface {
	// Append adds the block after the last one, or after an earlier one if
	// blocks were removed.
	Append(e Entry) error
	// Block reads a block; it returns nil for one that was never appended.
	Block(number uint64) (*Block, error)
}

// ErrNotRetained reports a block that is too old to be read.
var ErrNotRetained = errors.New("the block is no longer retained")

// ErrNoBlock reports a block that is not on the chain.
var ErrNoBlock = errors.New("the block does not exist")

// Place is the position of a transaction.
type Place struct {
	Block uint64
	Index int
}

// Chain is a simulated chain. Its methods may be called concurrently; readers see whole
// blocks only.
type Chain struct {
	config Config

	mu       sync.RWMutex
	history  *state.History
	blocks   map[uint64]*kept
	head     *Block
	oldest   uint64          // in the window
	line     []starknet.Felt // block hashes by number
	hashes   map[starknet.Felt]uint64
	places   map[starknet.Felt]Place
	archived map[uint64]uint32 // archived blocks by the last bytes of their transactions' hashes
	branch   uint64
	pool     []starknet.Transaction
	orphans  []starknet.Transaction
	pending  *Builder
	time     uint64 // timestamp of the next block; zero leaves it to the clock
	accepted uint64 // newest block that was accepted on L1 on demand
	watchers []func(Change)

	recording *Recording // of a replayed chain
}

// kept is a block of the window with what is needed to undo it.
type kept struct {
	*Block
	memory any    // of the script, before the block
	pooled uint64 // how many of its first transactions came from clients
}

// Change describes a change of the chain: blocks that were removed, then blocks
// that were added, or a client's transaction that was admitted.
type Change struct {
	Removed []*Block // oldest first
	Added   []*Block
	// Admitted is the pre-confirmed block; its last transaction is the new one.
	Admitted *Block
}

// New builds block 0.
func New(config Config) (*Chain, error) {
	c := empty(config)
	return c, c.found()
}

// found builds block 0.
func (c *Chain) found() error {
	b := c.builder()
	if err := c.config.Script.Genesis(b); err != nil {
		return err
	}
	return c.commit(b, nil)
}

func empty(config Config) *Chain {
	return &Chain{
		config: config, history: state.NewHistory(), blocks: map[uint64]*kept{},
		hashes: map[starknet.Felt]uint64{}, places: map[starknet.Felt]Place{}, archived: map[uint64]uint32{},
	}
}

// Watch calls f after every change, in order and under the chain's lock: f must be quick
// and must not call the chain.
func (c *Chain) Watch(f func(Change)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.watchers = append(c.watchers, f)
}

func (c *Chain) tell(change Change) {
	for _, f := range c.watchers {
		f(change)
	}
}

// commit seals the block, with the pool's transactions first, and makes it the
// head.
func (c *Chain) commit(b *Builder, memory any) error {
	block, err := b.block()
	if err != nil {
		return err
	}
	changes := b.State.Changes()
	if err := block.seal(c.head, changes); err != nil {
		return err
	}
	block.Foreign = c.foreign(block)
	entry := Entry{Block: block, Pooled: uint64(len(c.pool))}
	if c.config.Archive != nil {
		if entry.Gained, err = c.config.Script.Gained(memory); err != nil {
			return err
		}
		if err := c.config.Archive.Append(entry); err != nil {
			return err
		}
	}
	c.keep(entry, changes, memory)
	c.pool = nil
	return nil
}

// foreign returns the classes that clients declared in a block.
func (c *Chain) foreign(b *Block) (classes []Foreign) {
	for _, declared := range b.StateUpdate.StateDiff.DeclaredClasses {
		class, ok := c.config.Machine.Library.Class(declared.ClassHash)
		if ok && class.Name == "" {
			classes = append(classes, Foreign{class.Hash, class.Document})
		}
	}
	return classes
}

// keep makes a sealed block the head.
func (c *Chain) keep(e Entry, changes []state.Change, memory any) {
	block, number := e.Block, e.Header.BlockNumber
	c.history.Commit(number, changes)
	c.blocks[number] = &kept{Block: block, memory: memory, pooled: e.Pooled}
	c.line = append(c.line[:number], block.Header.BlockHash)
	c.hashes[block.Header.BlockHash] = number
	for i := range block.Transactions {
		c.places[block.Transactions[i].Hash] = Place{number, i}
	}
	c.head, c.pending, c.time = block, nil, 0
	c.retire()
}

// retire drops blocks from the window.
func (c *Chain) retire() {
	for len(c.blocks) > c.config.Window {
		old := c.blocks[c.oldest]
		delete(c.blocks, c.oldest)
		c.forget(old.Block)
		if c.config.Archive != nil {
			c.remember(old.Block)
		}
		c.oldest++
		c.history.Retire(c.oldest)
	}
}

// remember adds an archived block to the compact index of hashes.
func (c *Chain) remember(b *Block) {
	number := b.Header.BlockNumber
	c.hashes[b.Header.BlockHash] = number
	for i := range b.Transactions {
		c.archived[ending(b.Transactions[i].Hash)] = uint32(number)
	}
}

// ending returns the last eight bytes of a hash, which are practically unique.
func ending(hash starknet.Felt) uint64 { return binary.BigEndian.Uint64(hash[24:]) }

// forget removes a block and its transactions from the index of hashes.
func (c *Chain) forget(b *Block) {
	delete(c.hashes, b.Header.BlockHash)
	for i := range b.Transactions {
		delete(c.places, b.Transactions[i].Hash)
	}
}
