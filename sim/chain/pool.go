package chain

import (
	"errors"
	"slices"

	"astrolabe/sim/state"
	"astrolabe/sim/vm"
	"astrolabe/starknet"
)

// ErrDuplicate reports a transaction that is already waiting or on the chain.
var ErrDuplicate = errors.New("the transaction is already known")

// Submit admits a client's transaction to the next block. It returns the
// transaction's hash, or ErrDuplicate, or the reason why it cannot be executed.
func (c *Chain) Submit(t starknet.Transaction) (starknet.Felt, error) {
	hash, err := t.ComputeHash(c.config.Machine.ChainID)
	if err != nil {
		return hash, err
	}
	t.Hash = hash
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.recording != nil {
		return hash, ErrRecorded
	}
	pending := c.preConfirmed()
	_, known := c.places[hash]
	for i := range c.pool {
		known = known || c.pool[i].Hash == hash
	}
	if known {
		return hash, ErrDuplicate
	}
	if _, err := pending.add(t, vm.Flags{}); err != nil {
		return hash, err
	}
	c.pool = append(c.pool, t)
	c.tell(Change{Admitted: pending.pooled()})
	return hash, nil
}

// PreConfirmed returns the pre-confirmed block: the transactions that clients
// sent since the head. It is not sealed, so it has no hash, no parent and no
// roots.
func (c *Chain) PreConfirmed() *Block {
	c.mu.Lock()
	defer c.mu.Unlock()
	pending := c.preConfirmed()
	b := pending.pooled()
	b.StateUpdate.OldRoot = c.head.Header.NewRoot
	b.StateUpdate.StateDiff = state.Diff(pending.State.Changes())
	return b
}

// ReadPreConfirmed calls f with the state of the pre-confirmed block.
func (c *Chain) ReadPreConfirmed(f func(view state.Reader, header *starknet.PreConfirmedHeader) error) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	pending := c.preConfirmed()
	return f(pending.State, &pending.Header)
}

// pooled returns the pre-confirmed block, whose transactions all have their
// hashes. The lists are clipped so that later transactions do not overwrite
// them.
func (b *Builder) pooled() *Block {
	return &Block{
		Header:       starknet.BlockHeader{PreConfirmedHeader: b.Header},
		Transactions: slices.Clip(b.transactions), Receipts: slices.Clip(b.receipts),
	}
}
