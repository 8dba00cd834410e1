package main

import (
	"context"
	"encoding/json"
	"strings"
	"time"

	"github.com/NethermindEth/starknet.go/client"
	"github.com/NethermindEth/starknet.go/rpc"
)

// patience is how long a message of a subscription may take.
const patience = time.Minute

// follow subscribes to everything, waits for the first of each and unsubscribes.
func (n *node) follow(ctx context.Context) {
	url := "ws" + strings.TrimPrefix(n.url, "http")
	socket := got(rpc.NewWebsocketProvider(ctx, url))
	defer socket.Close()

	receipts := make(chan *rpc.TransactionReceiptWithBlockInfo)
	receipt := first(receipts, got(socket.SubscribeNewTransactionReceipts(ctx, receipts, new(rpc.SubNewTxnReceiptsInput))))
	expect(uint64(receipt.BlockNumber) > n.head && receipt.Hash != nil, "receipt of block %d", receipt.BlockNumber)
	transactions := make(chan *rpc.TxnWithHashAndStatus)
	transaction := first(transactions, got(socket.SubscribeNewTransactions(ctx, transactions, new(rpc.SubNewTxnsInput))))
	expect(transaction.Hash != nil && transaction.Transaction != nil, "no new transaction")
	statuses := make(chan *rpc.NewTxnStatus)
	status := first(statuses, got(socket.SubscribeTransactionStatus(ctx, statuses, receipt.Hash)))
	same(status.TransactionHash, receipt.Hash, "transaction of a status")
	n.followLoosely(ctx, url)
	n.counts.add("subscriptions, each with a message", 5)
}

// followLoosely follows heads and events with starknet.go's client: its provider refuses
// members that it does not know, and version 0.10 has some in both.
func (n *node) followLoosely(ctx context.Context, url string) {
	raw := got(client.DialContext(ctx, url))
	defer raw.Close()
	messages := make(chan json.RawMessage)
	var head rpc.BlockHeader
	decode(first(messages, got(raw.SubscribeWithSliceArgs(ctx, "starknet", "_subscribeNewHeads", messages))), &head)
	expect(head.Number > n.head && head.Hash != nil, "head %d is old", head.Number)
	messages = make(chan json.RawMessage)
	var event rpc.EmittedEventWithFinalityStatus
	decode(first(messages, got(raw.SubscribeWithSliceArgs(ctx, "starknet", "_subscribeEvents", messages))), &event)
	expect(event.FromAddress != nil && event.TransactionHash != nil && event.FinalityStatus != "", "an event is not complete")
}

func decode(message json.RawMessage, into any) {
	err := json.Unmarshal(message, into)
	expect(err == nil, "%s: %v", message, err)
}

// first returns the first message of a subscription and ends it.
func first[T any](messages <-chan T, subscription *client.ClientSubscription) (message T) {
	select {
	case message = <-messages:
	case err := <-subscription.Err():
		expect(false, "the subscription ended: %v", err)
	case <-time.After(patience):
		expect(false, "nothing came")
	}
	subscription.Unsubscribe()
	return message
}
