package node

import (
	"context"
	"errors"

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

// codeInvalidParams is the JSON-RPC error code of arguments that a node does not
// know.
const codeInvalidParams = -32602

// BlockWithReceipts returns a sealed block with its transactions and their
// receipts. It is complete: the numbers of transactions and events are those
// of the header, and every transaction has its own receipt. Transactions have
// their proof facts, except from nodes of specification 0.10.0, which reject
// the flag.
func (p *Pool) BlockWithReceipts(ctx context.Context, id BlockID) (starknet.BlockWithReceipts, error) {
	block, err := p.blockWithReceipts(ctx, id, id, []string{includeProofFacts})
	if refused, ok := errors.AsType[*RPCError](err); ok && refused.Code == codeInvalidParams {
		return p.blockWithReceipts(ctx, id, id)
	}
	return block, err
}

func (p *Pool) blockWithReceipts(ctx context.Context, id BlockID, params ...any) (starknet.BlockWithReceipts, error) {
	return ask(ctx, p, "starknet_getBlockWithReceipts", params, func(result []byte) (starknet.BlockWithReceipts, error) {
		block, err := wire.DecodeBlockWithReceipts(result)
		if err == nil {
			err = id.check(&block.BlockHeader, block.Status)
		}
		return block, err
	})
}
