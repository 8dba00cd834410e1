package commitment

import "astrolabe/starknet"

// transactions returns the root over the hashes and signatures of a block's
// transactions.
func transactions(block *starknet.BlockWithReceipts, formula Formula) (starknet.Felt, error) {
	if formula < Poseidon {
		return transactionsPedersen(block)
	}
	leaves := make([]starknet.Felt, len(block.Transactions))
	for i := range block.Transactions {
		t := &block.Transactions[i]
		var h starknet.PoseidonHasher
		h.Write(t.Receipt.TransactionHash)
		h.Write(t.Transaction.Signature...)
		if len(t.Transaction.Signature) == 0 && formula == Poseidon {
			h.Write(starknet.Felt{}) // an empty signature was hashed as [0]
		}
		leaves[i] = h.Sum()
	}
	return root(starknet.Poseidon, leaves), nil
}

// transactionsPedersen is the formula before 0.13.2. Before 0.11.1 it contained
// the signatures of invokes only.
func transactionsPedersen(block *starknet.BlockWithReceipts) (starknet.Felt, error) {
	version, err := parseRelease(block.StarknetVersion)
	if err != nil {
		return starknet.Felt{}, err
	}
	invokesOnly := version.before(release{0, 11, 1})
	unsigned := starknet.PedersenMany()
	leaves := make([]starknet.Felt, len(block.Transactions))
	for i := range block.Transactions {
		t := &block.Transactions[i]
		signature := unsigned
		if t.Transaction.Type == starknet.Invoke || !invokesOnly {
			signature = starknet.PedersenMany(t.Transaction.Signature...)
		}
		leaves[i] = starknet.Pedersen(t.Receipt.TransactionHash, signature)
	}
	return root(starknet.Pedersen, leaves), nil
}
