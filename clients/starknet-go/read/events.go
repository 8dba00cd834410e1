package main

import (
	"context"

	"github.com/NethermindEth/juno/core/felt"
	"github.com/NethermindEth/starknet.go/rpc"
)

// emitted is an event as a receipt has it.
type emitted struct {
	rpc.Event
	block       uint64
	transaction *felt.Felt
}

// readEvents reads all events up to the head and compares them with those of all receipts.
func (n *node) readEvents(ctx context.Context, blocks []block) {
	var expected []emitted
	for _, b := range blocks {
		for i := range b.Transactions {
			for _, event := range b.Transactions[i].Receipt.Events {
				expected = append(expected, emitted{event, b.Number, b.Transactions[i].Receipt.Hash})
			}
		}
	}
	filter := rpc.EventFilter{FromBlock: rpc.WithBlockNumber(0), ToBlock: rpc.WithBlockNumber(n.head)}
	n.compareEvents(n.page(ctx, filter), expected)
	n.counts.add("events", len(expected))

	filter.Address, filter.Keys = strk, [][]*felt.Felt{expected[0].Keys[:1]}
	var matching []emitted
	for _, e := range expected {
		if e.FromAddress.Equal(strk) && e.Keys[0].Equal(expected[0].Keys[0]) {
			matching = append(matching, e)
		}
	}
	n.compareEvents(n.page(ctx, filter), matching)
	n.counts.add("events by address and key", len(matching))
}

// page reads all pages of a filter.
func (n *node) page(ctx context.Context, filter rpc.EventFilter) (events []rpc.EmittedEvent) {
	request := rpc.ResultPageRequest{ChunkSize: 512}
	for {
		chunk := got(n.Events(ctx, rpc.EventsInput{EventFilter: filter, ResultPageRequest: request}))
		n.counts.add("pages of events", 1)
		events = append(events, chunk.Events...)
		if request.ContinuationToken = chunk.ContinuationToken; request.ContinuationToken == "" {
			return events
		}
	}
}

func (n *node) compareEvents(events []rpc.EmittedEvent, expected []emitted) {
	expect(len(events) == len(expected), "%d events came instead of %d", len(events), len(expected))
	for i, e := range events {
		same(e.FromAddress, expected[i].FromAddress, "emitter")
		same(e.TransactionHash, expected[i].transaction, "transaction of an event")
		expect(e.BlockNumber == expected[i].block, "block %d of an event", e.BlockNumber)
		expect(equalFelts(e.Keys, expected[i].Keys) && equalFelts(e.Data, expected[i].Data), "event %d differs", i)
	}
}
