package facts

import (
	"errors"
	"fmt"
	"math"
	"strings"

	"astrolabe/starknet"
)

// ErrTooLarge reports a block that exceeds the limits of the index, which are
// far above those of the chain.
var ErrTooLarge = errors.New("block too large for the index")

// ErrContradiction reports answers of a node that do not fit together.
var ErrContradiction = errors.New("contradictory block")

// maxCount is the most transactions in a block; events, messages and felts of
// the signature in a transaction; and keys and transfers in an event. Places
// and these counts are stored in 16 bits.
const maxCount = math.MaxInt16

// maxTimestamp is the last second that RFC 3339 can write: the end of the year
// 9999.
const maxTimestamp = 253_402_300_799

// checkBlock returns ErrTooLarge when a block or a part of it cannot be stored,
// and how many events it has.
func checkBlock(block *starknet.BlockWithReceipts) (events int, err error) {
	switch {
	case block.BlockNumber > math.MaxInt32:
		return 0, fmt.Errorf("%w: number %d", ErrTooLarge, block.BlockNumber)
	case block.Timestamp > maxTimestamp:
		return 0, fmt.Errorf("%w: block %d has timestamp %d", ErrTooLarge, block.BlockNumber, block.Timestamp)
	case len(block.Transactions) > maxCount:
		return 0, fmt.Errorf("%w: block %d has %d transactions", ErrTooLarge, block.BlockNumber, len(block.Transactions))
	}
	for i := range block.Transactions {
		if err := checkTransaction(&block.Transactions[i]); err != nil {
			return 0, fmt.Errorf("transaction %d of block %d: %w", i, block.BlockNumber, err)
		}
		events += len(block.Transactions[i].Receipt.Events)
	}
	return events, nil
}

func checkTransaction(pair *starknet.TransactionWithReceipt) error {
	receipt := &pair.Receipt
	switch used := receipt.ExecutionResources; {
	case pair.Transaction.Version.Number > math.MaxInt16:
		return fmt.Errorf("%w: version %d", ErrTooLarge, pair.Transaction.Version.Number)
	case len(pair.Transaction.Signature) > maxCount:
		return fmt.Errorf("%w: %d felts of signature", ErrTooLarge, len(pair.Transaction.Signature))
	case len(receipt.Events) > maxCount:
		return fmt.Errorf("%w: %d events", ErrTooLarge, len(receipt.Events))
	case len(receipt.MessagesSent) > maxCount:
		return fmt.Errorf("%w: %d messages", ErrTooLarge, len(receipt.MessagesSent))
	case max(used.L1Gas, used.L1DataGas, used.L2Gas) > math.MaxInt64:
		return fmt.Errorf("%w: gas %d, %d, %d", ErrTooLarge, used.L1Gas, used.L1DataGas, used.L2Gas)
	}
	for i := range receipt.Events {
		if keys := len(receipt.Events[i].Keys); keys > maxCount {
			return fmt.Errorf("%w: event %d has %d keys", ErrTooLarge, i, keys)
		}
	}
	return nil
}

// checkDerived returns ErrTooLarge when events gave more rows than can be
// counted.
func checkDerived(b *Block) error {
	for i := range b.Transfers {
		if t := &b.Transfers[i]; t.Index >= maxCount {
			return fmt.Errorf("%w: event %d of transaction %d in block %d has more than %d transfers", ErrTooLarge, t.LogIndex, t.TxIndex, b.Header.Number, maxCount)
		}
	}
	for i := range b.Activity {
		if a := &b.Activity[i]; a.Items > math.MaxInt32 {
			return fmt.Errorf("%w: %s has %d activity items in transaction %d of block %d", ErrTooLarge, a.Address, a.Items, a.TxIndex, b.Header.Number)
		}
	}
	return nil
}

// storable returns text that a database takes: a NUL, which JSON can put into
// any text, becomes the replacement character.
func storable(text string) string {
	return strings.ReplaceAll(text, "\x00", "\uFFFD")
}
