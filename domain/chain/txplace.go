package chain

import (
	"strconv"
	"strings"

	"astrolabe/domain"
)

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

// ParseTxCursor parses the text of Cursor. Anything else is invalid_request.
func ParseTxCursor(text string) (TxPlace, error) {
	block, index, _ := strings.Cut(text, ":")
	number, err := strconv.ParseUint(block, 10, 64)
	tx, txErr := strconv.ParseUint(index, 10, 15)
	place := TxPlace{Block: number, Tx: int(tx)} //nolint:gosec // 15 bits.
	if err != nil || txErr != nil || number > maxBlockNumber || place.Cursor() != text {
		return TxPlace{}, domain.Errorf(domain.CodeInvalidRequest, "A transaction cursor has the form blockNumber:txIndex, got %s.", domain.Quote(text))
	}
	return place, nil
}
