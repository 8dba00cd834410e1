package main

import (
	"context"

	"github.com/NethermindEth/juno/core/felt"
	"github.com/NethermindEth/starknet.go/rpc"
	"github.com/NethermindEth/starknet.go/utils"
)

// strk is the fee token, which has the same address on every chain.
var strk = got(utils.HexToFelt("0x4718f5a0fc34cc1af16a1cdee98ffb20c31f5cd61d6ab07201858f4287c938d"))

// readContracts reads nonces, storage and the views of the fee token.
func (n *node) readContracts(ctx context.Context, blocks []block) {
	for _, b := range blocks {
		for _, changed := range b.update.StateDiff.Nonces {
			same(got(n.Nonce(ctx, b.id, changed.ContractAddress)), changed.Nonce, "nonce")
			n.counts.add("nonces", 1)
		}
	}
	head := rpc.WithBlockNumber(n.head)
	call := func(view string, calldata ...*felt.Felt) []*felt.Felt {
		n.counts.add("calls of token views", 1)
		return got(n.Call(ctx, rpc.FunctionCall{ContractAddress: strk, EntryPointSelector: utils.GetSelectorFromNameFelt(view), Calldata: calldata}, head))
	}
	expect(utils.HexToShortStr(call("symbol")[0].String()) == "STRK", "the fee token has another symbol")
	expect(utils.HexToShortStr(call("name")[0].String()) != "", "the fee token has no name")
	same(call("decimals")[0], utils.Uint64ToFelt(18), "decimals")
	expect(len(call("balance_of", strk)) == 2 && len(call("balanceOf", strk)) == 2, "a balance is no u256")
	supply := call("total_supply")
	got(utils.U256FeltToHex(supply))
	// starknet.go reads storage by the name of a variable.
	stored := got(utils.HexToFelt(got(n.StorageAt(ctx, strk, "total_supply", head))))
	same(stored, supply[0], "stored supply")
	n.counts.add("storage cells", 1)
	n.readProof(ctx, head, blocks)
}

func (n *node) readProof(ctx context.Context, head rpc.BlockID, blocks []block) {
	key := utils.GetSelectorFromNameFelt("total_supply")
	class := got(n.ClassHashAt(ctx, head, strk))
	proof := got(n.StorageProof(ctx, rpc.StorageProofInput{
		BlockID: head, ClassHashes: []*felt.Felt{class}, ContractAddresses: []*felt.Felt{strk},
		ContractsStorageKeys: []rpc.ContractStorageKeys{{ContractAddress: strk, StorageKeys: []*felt.Felt{key}}},
	}))
	same(proof.GlobalRoots.BlockHash, blocks[n.head].Hash, "block of a proof")
	same(proof.ContractsProof.ContractLeavesData[0].ClassHash, class, "class of a leaf")
	n.counts.add("storage proofs", 1)
}
