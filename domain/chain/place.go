package chain

// TxPlace is where a transaction stands: its block and its index there. It is
// the parent of everything that a transaction holds.
type TxPlace struct {
	Block uint64
	Tx    int
}
