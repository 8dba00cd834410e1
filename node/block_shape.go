package node

import "astrolabe/starknet"

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
		word("l1_da_mode", func(v *T) *starknet.L1DAMode { return &of(v).L1DAMode }, starknet.Blob, starknet.Calldata),
		text("starknet_version", func(v *T) *string { return &of(v).StarknetVersion }),
		felt("event_commitment", func(v *T) *starknet.Felt { return &of(v).EventCommitment }),
		felt("transaction_commitment", func(v *T) *starknet.Felt { return &of(v).TransactionCommitment }),
		felt("receipt_commitment", func(v *T) *starknet.Felt { return &of(v).ReceiptCommitment }),
		felt("state_diff_commitment", func(v *T) *starknet.Felt { return &of(v).StateDiffCommitment }),
		number("event_count", func(v *T) *uint64 { return &of(v).EventCount }),
		number("transaction_count", func(v *T) *uint64 { return &of(v).TransactionCount }),
		// Not known of old blocks; some nodes then leave it out.
		optional(number("state_diff_length", func(v *T) *uint64 { return &of(v).StateDiffLength })),
	}
}

// sealedMembers are the members of a sealed block besides its transactions.
func sealedMembers[T any](status func(*T) *starknet.FinalityStatus, header func(*T) *starknet.BlockHeader) []member[T] {
	return append(headerMembers(header), word("status", status, starknet.AcceptedOnL2, starknet.AcceptedOnL1))
}

var headerShape = shapeOf(headerMembers(func(h *starknet.BlockHeader) *starknet.BlockHeader { return h })...)

var blockWithHashesShape = shapeOf(append(
	sealedMembers(
		func(b *starknet.BlockWithHashes) *starknet.FinalityStatus { return &b.Status },
		func(b *starknet.BlockWithHashes) *starknet.BlockHeader { return &b.BlockHeader }),
	felts("transactions", func(b *starknet.BlockWithHashes) *[]starknet.Felt { return &b.Transactions }),
)...)

var transactionWithReceiptShape = shapeOf(
	member[starknet.TransactionWithReceipt]{name: "transaction", read: func(s *scanner, v *starknet.TransactionWithReceipt) {
		readTransaction(s, &v.Transaction)
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
