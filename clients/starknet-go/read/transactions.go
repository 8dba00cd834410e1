package main

import (
	"context"
	"encoding/json"
	"reflect"

	"github.com/NethermindEth/juno/core/felt"
	"github.com/NethermindEth/starknet.go/client"
	"github.com/NethermindEth/starknet.go/rpc"
)

// readTransactions reads every transaction and receipt one by one and computes its hash.
func (n *node) readTransactions(ctx context.Context, blocks []block) {
	facts := n.proofFacts(ctx, blocks)
	missing := map[string]bool{
		"INVOKE 0x0": true, "INVOKE 0x1": true, "INVOKE 0x3": true, "INVOKE 0x3 with proof facts": true, "DECLARE 0x0": true,
		"DECLARE 0x1": true, "DECLARE 0x2": true, "DECLARE 0x3": true, "DEPLOY 0x0": true, "DEPLOY_ACCOUNT 0x1": true, "DEPLOY_ACCOUNT 0x3": true, "L1_HANDLER 0x0": true,
	}
	for _, b := range blocks {
		for i := range b.Transactions {
			receipt := &b.Transactions[i].Receipt
			t := got(n.TransactionByHash(ctx, receipt.Hash))
			same(t.Hash, receipt.Hash, "transaction by hash")
			expect(reflect.DeepEqual(t.Transaction, b.Transactions[i].Transaction.Transaction), "%s is different in its block", t.Hash)
			expect(reflect.DeepEqual(t, got(n.TransactionByBlockIDAndIndex(ctx, b.id, uint64(i)))), "%s is different by its index", t.Hash)
			n.checkReceipt(ctx, b, receipt)
			kind := string(t.GetType()) + " " + string(t.GetVersion())
			if facts[*t.Hash] {
				// starknet.go does not know of proof facts, which are part of the hash.
				kind += " with proof facts"
			} else {
				same(transactionHash(t.Transaction, receipt, n.chainID), t.Hash, "hash of "+kind)
				n.counts.add("transaction hashes computed anew", 1)
			}
			n.counts.add(kind+" "+string(receipt.ExecutionStatus), 1)
			delete(missing, kind)
		}
	}
	expect(len(missing) == 0, "the chain is too short: it lacks %v", missing)
}

func (n *node) checkReceipt(ctx context.Context, b block, inBlock *rpc.TransactionReceipt) {
	receipt := got(n.TransactionReceipt(ctx, inBlock.Hash))
	same(receipt.BlockHash, b.Hash, "block of a receipt")
	expect(uint64(receipt.BlockNumber) == b.Number, "block of a receipt: %d", receipt.BlockNumber)
	finality := receipt.FinalityStatus
	receipt.FinalityStatus = inBlock.FinalityStatus // L1 acceptance moves on while we read
	expect(reflect.DeepEqual(&receipt.TransactionReceipt, inBlock), "receipt of %s is different in its block", inBlock.Hash)
	expect((receipt.ExecutionStatus == rpc.TxnExecutionStatusREVERTED) == (receipt.RevertReason != ""), "reason of %s", inBlock.Hash)
	status := got(n.TransactionStatus(ctx, inBlock.Hash))
	expect(status.ExecutionStatus == inBlock.ExecutionStatus, "%s is %s", inBlock.Hash, status.ExecutionStatus)
	expect(string(status.FinalityStatus) == string(finality) || status.FinalityStatus == rpc.TxnStatusAcceptedOnL1, "%s is %s", inBlock.Hash, status.FinalityStatus)
	n.counts.add("L2 to L1 messages", len(receipt.MessagesSent))
}

// proofFacts finds the transactions that have proof facts, which starknet.go has no
// types for.
func (n *node) proofFacts(ctx context.Context, blocks []block) map[felt.Felt]bool {
	raw := got(client.DialContext(ctx, n.url))
	defer raw.Close()
	found := map[felt.Felt]bool{}
	for _, b := range blocks {
		var full struct {
			Transactions []struct {
				Hash  felt.Felt       `json:"transaction_hash"`
				Facts json.RawMessage `json:"proof_facts"`
			} `json:"transactions"`
		}
		err := raw.CallContextWithSliceArgs(ctx, &full, "starknet_getBlockWithTxs", b.id, []string{"INCLUDE_PROOF_FACTS"})
		expect(err == nil, "proof facts: %v", err)
		for _, t := range full.Transactions {
			if len(t.Facts) > len("[]") {
				found[t.Hash] = true
			}
		}
	}
	return found
}
