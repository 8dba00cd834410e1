package chain

// Script decides the content of blocks.
type Script interface {
	// Genesis fills block 0, which has no transactions: it writes to the state directly.
	Genesis(b *Builder) error
	// Play adds the transactions of one later block.
	Play(b *Builder) error
	// Save returns the script's memory; Restore restores it after a reorg. Later
	// blocks never change a saved memory.
	Save() any
	Restore(memory any)
	// Gained encodes the change of the memory since it was saved, or since the
	// beginning if that is nil; Learn applies it instead of playing the block.
	Gained(since any) ([]byte, error)
	Learn(gained []byte) error
}
