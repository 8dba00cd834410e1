package main

import (
	"context"
	"reflect"

	"github.com/NethermindEth/starknet.go/rpc"
)

// readTraces reads the traces of all blocks, and one by one those of the newest.
func (n *node) readTraces(ctx context.Context, blocks []block) {
	const single = 10
	for _, b := range blocks {
		traces := got(n.TraceBlockTransactions(ctx, b.id))
		expect(len(traces) == len(b.Transactions), "block %d has %d traces", b.Number, len(traces))
		for i, trace := range traces {
			same(trace.TxnHash, b.Transactions[i].Receipt.Hash, "transaction of a trace")
			kind := b.Transactions[i].Receipt.Type
			if kind == rpc.TransactionTypeDeploy {
				kind = rpc.TransactionTypeDeployAccount // the specification has no trace of the other type
			}
			expect(traceType(trace.TraceRoot) == kind, "trace of %s has another type", trace.TxnHash)
			if b.Number+single > n.head {
				alone := got(n.TraceTransaction(ctx, trace.TxnHash))
				expect(reflect.DeepEqual(alone, trace.TraceRoot), "trace of %s is different alone", trace.TxnHash)
			}
		}
		n.counts.add("traces", len(traces))
	}
}

func traceType(trace rpc.TxnTrace) rpc.TransactionType {
	switch trace := trace.(type) {
	case rpc.InvokeTxnTrace:
		return trace.Type
	case rpc.DeclareTxnTrace:
		return trace.Type
	case rpc.DeployAccountTxnTrace:
		return trace.Type
	case rpc.L1HandlerTxnTrace:
		return trace.Type
	}
	return ""
}
