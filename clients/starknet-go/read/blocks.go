package main

import (
	"context"

	"github.com/NethermindEth/starknet.go/rpc"
)

// block is a block with its receipts and what it changed.
type block struct {
	*rpc.BlockWithReceipts
	id     rpc.BlockID
	update *rpc.StateUpdateOutput
}

// readBlocks reads all blocks up to the head in every form.
func (n *node) readBlocks(ctx context.Context) (blocks []block) {
	for number := range n.head + 1 {
		id := rpc.WithBlockNumber(number)
		b := block{id: id, update: got(n.StateUpdate(ctx, id))}
		b.BlockWithReceipts = as[rpc.BlockWithReceipts](got(n.BlockWithReceipts(ctx, id)))
		expect(b.Number == number, "block %d came for %d", b.Number, number)
		if number > 0 {
			same(b.ParentHash, blocks[number-1].Hash, "parent")
		}
		same(b.update.BlockHash, b.Hash, "block of the state update")
		same(b.update.NewRoot, b.NewRoot, "root of the state update")
		n.checkForms(ctx, b, id)
		n.checkForms(ctx, b, rpc.WithBlockHash(b.Hash))
		blocks = append(blocks, b)
	}
	n.counts.add("blocks, each in three forms by number and hash", len(blocks))
	n.counts.add("state updates", len(blocks))
	n.readTags(ctx)
	return blocks
}

// checkForms compares the other forms of a block with the one that has receipts.
func (n *node) checkForms(ctx context.Context, b block, id rpc.BlockID) {
	hashes := as[rpc.BlockTxHashes](got(n.BlockWithTxHashes(ctx, id)))
	full := as[rpc.Block](got(n.BlockWithTxs(ctx, id)))
	same(hashes.Hash, b.Hash, "block with transaction hashes")
	same(full.Hash, b.Hash, "block with transactions")
	count := len(b.Transactions)
	expect(len(hashes.Transactions) == count && len(full.Transactions) == count, "block %d: different counts", b.Number)
	expect(got(n.BlockTransactionCount(ctx, id)) == uint64(count), "block %d: another count", b.Number)
	for i := range b.Transactions {
		same(hashes.Transactions[i], b.Transactions[i].Receipt.Hash, "hash of a transaction")
		same(full.Transactions[i].Hash, b.Transactions[i].Receipt.Hash, "hash of a transaction")
		expect(full.Transactions[i].GetType() == b.Transactions[i].Receipt.Type, "type of %s", full.Transactions[i].Hash)
	}
}

func (n *node) readTags(ctx context.Context) {
	latest := as[rpc.Block](got(n.BlockWithTxs(ctx, rpc.WithBlockTag(rpc.BlockTagLatest))))
	expect(latest.Number >= n.head, "the newest block is %d", latest.Number)
	accepted := as[rpc.Block](got(n.BlockWithTxs(ctx, rpc.WithBlockTag(rpc.BlockTagL1Accepted))))
	expect(accepted.Status == rpc.BlockStatusAcceptedOnL1 && accepted.Number < latest.Number, "block %d is %s", accepted.Number, accepted.Status)
	making := rpc.WithBlockTag(rpc.BlockTagPreConfirmed)
	expect(as[rpc.PreConfirmedBlock](got(n.BlockWithTxs(ctx, making))).Number > n.head, "an old block in the making")
	expect(as[rpc.PreConfirmedBlockTxHashes](got(n.BlockWithTxHashes(ctx, making))).Number > n.head, "an old block in the making")
	expect(as[rpc.PreConfirmedBlockWithReceipts](got(n.BlockWithReceipts(ctx, making))).Number > n.head, "an old block in the making")
	got(n.StateUpdate(ctx, making))
	expect(got(n.BlockHashAndNumber(ctx)).Number >= n.head, "the newest block is older than the head")
	n.counts.add("blocks by tag", 3)
}

// as returns an answer of the form that is expected, or ends the program.
func as[T any](answer any) *T {
	typed, ok := answer.(*T)
	expect(ok, "a %T came", answer)
	return typed
}
