package commitment

import "astrolabe/starknet"

// receipts returns the root over a block's receipts. The L2 gas that a
// transaction consumed is not part of it: the formula has zero in its place.
func receipts(block *starknet.BlockWithReceipts) starknet.Felt {
	leaves := make([]starknet.Felt, len(block.Transactions))
	for i := range block.Transactions {
		leaves[i] = receipt(&block.Transactions[i].Receipt)
	}
	return root(starknet.Poseidon, leaves)
}

func receipt(r *starknet.Receipt) starknet.Felt {
	var reason starknet.Felt
	if r.ExecutionStatus == starknet.Reverted {
		reason = starknet.Keccak([]byte(r.RevertReason))
	}
	return starknet.PoseidonMany(r.TransactionHash, r.ActualFee.Amount, messages(r.MessagesSent), reason, starknet.Felt{},
		starknet.FeltFromUint64(r.ExecutionResources.L1Gas), starknet.FeltFromUint64(r.ExecutionResources.L1DataGas))
}

func messages(sent []starknet.MessageToL1) starknet.Felt {
	var h starknet.PoseidonHasher
	h.Write(count(len(sent)))
	for i := range sent {
		h.Write(sent[i].FromAddress, sent[i].ToAddress, count(len(sent[i].Payload)))
		h.Write(sent[i].Payload...)
	}
	return h.Sum()
}
