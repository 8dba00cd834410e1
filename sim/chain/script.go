package chain

// Script decides what happens in the blocks.
type Script interface {
	// Genesis fills block 0, which has no transactions: it writes to the state directly.
	Genesis(b *Builder) error
	// Play adds the transactions of one later block.
	Play(b *Builder) error
	// Save returns what the script remembers; Restore goes back to it, as a
	// reorg does. A saved memory is never changed by later blocks.
	Save() any
	Restore(memory any)
	// Gained writes down what the memory gained since it was saved, or since there was
	// none if that is nil; Learn adds it to the memory in place of playing the block.
	Gained(since any) ([]byte, error)
	Learn(gained []byte) error
}
