package wire

import (
	"errors"
	"fmt"

	"astrolabe/starknet"
)

var priceShape = shapeOf(
	felt("price_in_fri", func(p *starknet.ResourcePrice) *starknet.Felt { return &p.PriceInFri }),
	felt("price_in_wei", func(p *starknet.ResourcePrice) *starknet.Felt { return &p.PriceInWei }),
)

// headerMembers are the members of a sealed block's header, in any object that
// holds one.
func headerMembers[T any](of func(*T) *starknet.BlockHeader) []member[T] {
	return []member[T]{
		felt("block_hash", func(v *T) *starknet.Felt { return &of(v).BlockHash }),
		felt("parent_hash", func(v *T) *starknet.Felt { return &of(v).ParentHash }),
		felt("new_root", func(v *T) *starknet.Felt { return &of(v).NewRoot }),
		number("block_number", func(v *T) *uint64 { return &of(v).BlockNumber }),
		number("timestamp", func(v *T) *uint64 { return &of(v).Timestamp }),
		felt("sequencer_address", func(v *T) *starknet.Felt { return &of(v).SequencerAddress }),
		object("l1_gas_price", priceShape, func(v *T) *starknet.ResourcePrice { return &of(v).L1GasPrice }),
		object("l1_data_gas_price", priceShape, func(v *T) *starknet.ResourcePrice { return &of(v).L1DataGasPrice }),
		object("l2_gas_price", priceShape, func(v *T) *starknet.ResourcePrice { return &of(v).L2GasPrice }),
		enum("l1_da_mode", func(v *T) *starknet.L1DAMode { return &of(v).L1DAMode }, starknet.Blob, starknet.Calldata),
		text("starknet_version", func(v *T) *string { return &of(v).StarknetVersion }),
		// A node may leave the commitments out.
		optional(felt("event_commitment", func(v *T) *starknet.Felt { return &of(v).EventCommitment })),
		optional(felt("transaction_commitment", func(v *T) *starknet.Felt { return &of(v).TransactionCommitment })),
		optional(felt("receipt_commitment", func(v *T) *starknet.Felt { return &of(v).ReceiptCommitment })),
		optional(felt("state_diff_commitment", func(v *T) *starknet.Felt { return &of(v).StateDiffCommitment })),
		number("event_count", func(v *T) *uint64 { return &of(v).EventCount }),
		number("transaction_count", func(v *T) *uint64 { return &of(v).TransactionCount }),
		// Missing for old blocks on some nodes.
		optional(number("state_diff_length", func(v *T) *uint64 { return &of(v).StateDiffLength })),
	}
}

// sealedMembers are the members of a sealed block besides its transactions.
func sealedMembers[T any](status func(*T) *starknet.FinalityStatus, header func(*T) *starknet.BlockHeader) []member[T] {
	return append(headerMembers(header), enum("status", status, starknet.AcceptedOnL2, starknet.AcceptedOnL1))
}

var headerShape = shapeOf(headerMembers(func(h *starknet.BlockHeader) *starknet.BlockHeader { return h })...)

var blockWithHashesShape = shapeOf(append(
	sealedMembers(
		func(b *starknet.BlockWithHashes) *starknet.FinalityStatus { return &b.Status },
		func(b *starknet.BlockWithHashes) *starknet.BlockHeader { return &b.BlockHeader }),
	felts("transactions", func(b *starknet.BlockWithHashes) *[]starknet.Felt { return &b.Transactions }),
)...)

var transactionWithReceiptShape = shapeOf(
	member[starknet.TransactionWithReceipt]{name: "transaction", read: func(r *reader, v *starknet.TransactionWithReceipt) {
		readTransaction(r, &v.Transaction)
	}},
	object("receipt", receiptShape, func(v *starknet.TransactionWithReceipt) *starknet.Receipt { return &v.Receipt }),
)

var blockWithReceiptsShape = shapeOf(append(
	sealedMembers(
		func(b *starknet.BlockWithReceipts) *starknet.FinalityStatus { return &b.Status },
		func(b *starknet.BlockWithReceipts) *starknet.BlockHeader { return &b.BlockHeader }),
	list("transactions", transactionWithReceiptShape, func(b *starknet.BlockWithReceipts) *[]starknet.TransactionWithReceipt {
		return &b.Transactions
	}),
)...)

var blockNumberShape = shapeOf(number("block_number", func(n *uint64) *uint64 { return n }))

// DecodeBlockNumber reads the number of a block, sealed or not.
func DecodeBlockNumber(text []byte) (uint64, error) { return blockNumberShape.decode(text) }

// DecodeBlockWithHashes reads a sealed block with the hashes of its
// transactions, as many as its header counts.
func DecodeBlockWithHashes(text []byte) (starknet.BlockWithHashes, error) {
	block, err := blockWithHashesShape.decode(text)
	if err == nil && block.TransactionCount != uint64(len(block.Transactions)) {
		err = fmt.Errorf("%d transactions of %d", len(block.Transactions), block.TransactionCount)
	}
	return block, err
}

// DecodeBlockWithReceipts reads a sealed block with its transactions and their
// receipts. It is complete: the numbers of transactions and events are those
// of the header, and every transaction has its own receipt.
func DecodeBlockWithReceipts(text []byte) (starknet.BlockWithReceipts, error) {
	block, err := blockWithReceiptsShape.decode(text)
	if err == nil {
		err = checkReceipts(&block)
	}
	return block, err
}

// checkReceipts rejects a block whose counts do not add up.
func checkReceipts(block *starknet.BlockWithReceipts) error {
	if block.TransactionCount != uint64(len(block.Transactions)) {
		return fmt.Errorf("%d transactions of %d", len(block.Transactions), block.TransactionCount)
	}
	events := 0
	hashes := make(map[starknet.Felt]bool, len(block.Transactions))
	for i := range block.Transactions {
		tx, receipt := &block.Transactions[i].Transaction, &block.Transactions[i].Receipt
		if err := checkReceipt(tx, receipt); err != nil {
			return fmt.Errorf("transaction %d: %w", i, err)
		}
		if hashes[receipt.TransactionHash] {
			return fmt.Errorf("transaction %d: the hash %s occurs twice", i, receipt.TransactionHash)
		}
		hashes[receipt.TransactionHash] = true
		events += len(receipt.Events)
	}
	if block.EventCount != uint64(events) {
		return fmt.Errorf("%d events of %d", events, block.EventCount)
	}
	return nil
}

// checkReceipt rejects a receipt of another transaction.
func checkReceipt(tx *starknet.Transaction, receipt *starknet.Receipt) error {
	deploys := tx.Type == starknet.Deploy || tx.Type == starknet.DeployAccount
	switch {
	case receipt.TransactionHash.IsZero():
		return errors.New("the receipt has no transaction hash")
	case receipt.Type != tx.Type:
		return fmt.Errorf("a receipt of type %s for a transaction of type %s", receipt.Type, tx.Type)
	case receipt.FinalityStatus == starknet.PreConfirmed:
		return errors.New("the receipt is not final")
	case tx.Type == starknet.L1Handler && receipt.MessageHash == nil:
		return errors.New("the receipt has no message hash")
	case deploys && receipt.ContractAddress == nil:
		return errors.New("the receipt has no contract address")
	}
	return nil
}
