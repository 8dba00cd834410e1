package chain

import "strconv"

// TxPlace is the position of a transaction: its block and its index there. It
// identifies the parent of a transaction's rows.
type TxPlace struct {
	Block uint64
	Tx    int
}

// Cursor returns the position as text: the block, a colon, the transaction.
// Clients must treat it as opaque.
func (p TxPlace) Cursor() string {
	text := make([]byte, 0, 16)
	text = strconv.AppendUint(text, p.Block, 10)
	return string(strconv.AppendInt(append(text, ':'), int64(p.Tx), 10))
}
