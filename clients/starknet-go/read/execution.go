package main

import (
	"context"
	"strings"
	"time"

	"github.com/NethermindEth/juno/core/felt"
	"github.com/NethermindEth/starknet.go/account"
	"github.com/NethermindEth/starknet.go/client"
	"github.com/NethermindEth/starknet.go/curve"
	"github.com/NethermindEth/starknet.go/rpc"
	"github.com/NethermindEth/starknet.go/utils"

	simrpc "astrolabe/sim/rpc"
)

// runTransactions estimates and finds a message and sends a transfer.
func (n *node) runTransactions(ctx context.Context, blocks []block) {
	message, in := newest[rpc.L1HandlerTxn](blocks)
	n.estimateMessage(ctx, message)
	statuses := got(n.MessagesStatus(ctx, rpc.NumAsHex(simrpc.L1Transaction(in).String())))
	expect(len(statuses) > 0 && statuses[0].Hash != nil, "no messages of an L1 transaction")
	n.counts.add("messages of an L1 transaction", len(statuses))

	n.send(ctx, blocks)
}

// send estimates, simulates and sends a transfer, and waits until it is in a block.
func (n *node) send(ctx context.Context, blocks []block) {
	example, _ := newest[rpc.InvokeTxnV3](blocks)
	sender := n.predeployed(ctx)
	making := rpc.WithBlockTag(rpc.BlockTagPreConfirmed)
	transfer := utils.BuildInvokeTxn(sender.Address, got(n.Nonce(ctx, making, sender.Address)),
		account.FmtCallDataCairo2([]rpc.FunctionCall{{
			ContractAddress: strk, EntryPointSelector: utils.GetSelectorFromNameFelt("transfer"),
			Calldata: []*felt.Felt{sender.Address, utils.Uint64ToFelt(1), &felt.Zero},
		}}), example.ResourceBounds, nil)
	fees := got(n.EstimateFee(ctx, []rpc.BroadcastTxn{transfer}, []rpc.SimulationFlag{rpc.SkipValidate}, making))
	expect(len(fees) == 1 && !fees[0].OverallFee.IsZero(), "no fee")
	n.counts.add("fee estimates", 1)
	simulated := got(n.SimulateTransactions(ctx, making, []rpc.BroadcastTxn{transfer}, []rpc.SimulationFlag{rpc.SkipValidate}))
	expect(len(simulated) == 1 && traceType(simulated[0].TxnTrace) == rpc.TransactionTypeInvoke, "no simulated transfer")
	n.counts.add("simulated transactions", 1)
	hash := transactionHash(*transfer, nil, n.chainID)
	transfer.Signature = signed(hash, utils.Uint64ToFelt(1))
	_, err := n.AddInvokeTransaction(ctx, transfer)
	expect(err != nil && strings.Contains(err.Error(), "55"), "a wrong signature: %v", err)
	n.counts.add("wrong signatures refused", 1)
	transfer.Signature = signed(hash, sender.PrivateKey)
	sent := got(n.AddInvokeTransaction(ctx, transfer))
	same(sent.Hash, hash, "hash of the sent transaction")
	n.awaitReceipt(ctx, sent.Hash)
	n.counts.add("transactions sent", 1)
}

func (n *node) estimateMessage(ctx context.Context, message rpc.L1HandlerTxn) {
	from := utils.FillHexWithZeroes(message.Calldata[0].String())
	fee := got(n.EstimateMessageFee(ctx, rpc.MsgFromL1{
		FromAddress: "0x" + from[len(from)-40:], ToAddress: message.ContractAddress,
		Selector: message.EntryPointSelector, Payload: message.Calldata[1:],
	}, rpc.WithBlockTag(rpc.BlockTagLatest)))
	expect(!fee.OverallFee.IsZero(), "a message costs nothing")
	n.counts.add("fee estimates", 1)
}

// predeployedAccount is an account of the simulated node for clients.
type predeployedAccount struct {
	Address    *felt.Felt `json:"address"`
	PrivateKey *felt.Felt `json:"private_key"`
}

// predeployed returns the first account for clients.
func (n *node) predeployed(ctx context.Context) predeployedAccount {
	raw := got(client.DialContext(ctx, n.control))
	defer raw.Close()
	var accounts []predeployedAccount
	err := raw.CallContextWithSliceArgs(ctx, &accounts, "devnet_getPredeployedAccounts")
	expect(err == nil && len(accounts) > 0, "predeployed accounts: %v", err)
	return accounts[0]
}

func signed(hash, privateKey *felt.Felt) []*felt.Felt {
	r, s, err := curve.SignFelts(hash, privateKey)
	expect(err == nil, "signing: %v", err)
	return []*felt.Felt{r, s}
}

// awaitReceipt polls until a transaction is in a block.
func (n *node) awaitReceipt(ctx context.Context, hash *felt.Felt) {
	for {
		status, err := n.TransactionStatus(ctx, hash)
		expect(err == nil || ctx.Err() == nil, "%s is in no block: %v", hash, err)
		if err == nil && status.FinalityStatus == rpc.TxnStatusAcceptedOnL2 {
			expect(status.ExecutionStatus == rpc.TxnExecutionStatusSUCCEEDED, "%s: %s", hash, status.FailureReason)
			return
		}
		time.Sleep(100 * time.Millisecond)
	}
}

// newest returns the newest successful transaction of a type and the block it is in.
func newest[T rpc.Transaction](blocks []block) (found T, in uint64) {
	for _, b := range blocks {
		for i := range b.Transactions {
			t, ok := b.Transactions[i].Transaction.Transaction.(T)
			if ok && b.Transactions[i].Receipt.ExecutionStatus == rpc.TxnExecutionStatusSUCCEEDED {
				found, in = t, b.Number
			}
		}
	}
	return found, in
}
