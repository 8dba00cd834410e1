package node

import (
	"context"

	"astrolabe/domain"
	"astrolabe/node/wire"
	"astrolabe/starknet"
)

// Head returns the newest accepted block.
func (p *Pool) Head(ctx context.Context) (domain.BlockRef, error) {
	return ask(ctx, p, "starknet_blockHashAndNumber", []any{}, wire.DecodeHead)
}

// Block returns the header, status and transaction hashes of a block. With
// L1Accepted it returns the newest block that is accepted on L1.
func (p *Pool) Block(ctx context.Context, id BlockID) (starknet.BlockWithHashes, error) {
	return ask(ctx, p, "starknet_getBlockWithTxHashes", []any{id}, func(result []byte) (starknet.BlockWithHashes, error) {
		block, err := wire.DecodeBlockWithHashes(result)
		if err == nil {
			err = id.check(&block.BlockHeader, block.Status)
		}
		return block, err
	})
}

// PreConfirmedNumber returns the number of the pre-confirmed block.
func (p *Pool) PreConfirmedNumber(ctx context.Context) (uint64, error) {
	return ask(ctx, p, "starknet_getBlockWithTxHashes", []any{PreConfirmed}, wire.DecodeBlockNumber)
}

// includeProofFacts is the response flag without which a node leaves out the
// proof facts, which the hash of a transaction covers.
const includeProofFacts = "INCLUDE_PROOF_FACTS"

// BlockWithReceipts returns a sealed block with its transactions and their
// receipts. It is complete: the numbers of transactions and events are those
// of the header, and every transaction has its own receipt. Its transactions have
// their proof facts, which their hashes contain, if the upstream's specification
// has them.
func (p *Pool) BlockWithReceipts(ctx context.Context, id BlockID) (starknet.BlockWithReceipts, error) {
	return ask(ctx, p, "starknet_getBlockWithReceipts", []any{id}, func(result []byte) (starknet.BlockWithReceipts, error) {
		block, err := wire.DecodeBlockWithReceipts(result)
		if err == nil {
			err = id.check(&block.BlockHeader, block.Status)
		}
		return block, err
	}, includeProofFacts)
}
