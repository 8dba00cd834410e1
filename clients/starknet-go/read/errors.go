package main

import (
	"context"
	"errors"

	"github.com/NethermindEth/starknet.go/rpc"
	"github.com/NethermindEth/starknet.go/utils"
)

// readErrors asks for what does not exist and expects starknet.go to know the answer.
func (n *node) readErrors(ctx context.Context) {
	nothing, head := utils.Uint64ToFelt(0x123456789), rpc.WithBlockNumber(n.head)
	future := rpc.WithBlockNumber(n.head + 1_000_000)
	for _, question := range []struct {
		ask  func() error
		want *rpc.RPCError
	}{
		{func() error { _, err := n.BlockWithTxs(ctx, future); return err }, rpc.ErrBlockNotFound},
		{func() error { _, err := n.TransactionReceipt(ctx, nothing); return err }, rpc.ErrHashNotFound},
		{func() error { _, err := n.TransactionByBlockIDAndIndex(ctx, head, 1_000_000); return err }, rpc.ErrInvalidTxnIndex},
		{func() error { _, err := n.ClassHashAt(ctx, head, nothing); return err }, rpc.ErrContractNotFound},
		{func() error { _, err := n.Class(ctx, head, nothing); return err }, rpc.ErrClassHashNotFound},
		{func() error { return n.ask(ctx, "nonsense", 10) }, rpc.ErrInvalidContinuationToken},
		{func() error { return n.ask(ctx, "", 1_000_000_000) }, rpc.ErrPageSizeTooBig},
	} {
		var answer *rpc.RPCError
		err := question.ask()
		expect(errors.As(err, &answer) && answer.Code == question.want.Code, "%v came instead of %v", err, question.want)
		n.counts.add("errors by code", 1)
	}
}

func (n *node) ask(ctx context.Context, token string, size int) error {
	_, err := n.Events(ctx, rpc.EventsInput{
		EventFilter:       rpc.EventFilter{FromBlock: rpc.WithBlockNumber(0), ToBlock: rpc.WithBlockNumber(n.head)},
		ResultPageRequest: rpc.ResultPageRequest{ContinuationToken: token, ChunkSize: size},
	})
	return err
}
