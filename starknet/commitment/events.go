package commitment

import "astrolabe/starknet"

// events returns the root over a block's events.
func events(block *starknet.BlockWithReceipts, formula Formula) starknet.Felt {
	hash, leaf := pairHash(starknet.Poseidon), eventPoseidon
	if formula < Poseidon {
		hash, leaf = starknet.Pedersen, eventPedersen
	}
	leaves := make([]starknet.Felt, 0, block.EventCount)
	for i := range block.Transactions {
		receipt := &block.Transactions[i].Receipt
		for j := range receipt.Events {
			leaves = append(leaves, leaf(&receipt.Events[j], receipt.TransactionHash))
		}
	}
	return root(hash, leaves)
}

func eventPoseidon(e *starknet.Event, transaction starknet.Felt) starknet.Felt {
	var h starknet.PoseidonHasher
	h.Write(e.FromAddress, transaction, count(len(e.Keys)))
	h.Write(e.Keys...)
	h.Write(count(len(e.Data)))
	h.Write(e.Data...)
	return h.Sum()
}

// eventPedersen does not contain the transaction: two events of different
// transactions could change places.
func eventPedersen(e *starknet.Event, _ starknet.Felt) starknet.Felt {
	return starknet.PedersenMany(e.FromAddress, starknet.PedersenMany(e.Keys...), starknet.PedersenMany(e.Data...))
}

func count(n int) starknet.Felt { return starknet.FeltFromUint64(uint64(n)) }
