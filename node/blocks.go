package node

import (
	"context"
	"errors"
	"fmt"

	"astrolabe/domain"
	"astrolabe/starknet"
)

var headShape = shapeOf(
	felt("block_hash", func(r *domain.BlockRef) *starknet.Felt { return &r.Hash }),
	number("block_number", func(r *domain.BlockRef) *uint64 { return &r.Number }),
)

// Head returns the newest accepted block.
func (p *Pool) Head(ctx context.Context) (domain.BlockRef, error) {
	return ask(ctx, p, "starknet_blockHashAndNumber", []any{}, func(result []byte) (domain.BlockRef, error) {
		head, err := headShape.decode(result)
		if err == nil && head.Hash.IsZero() {
			err = errors.New("the head has no hash")
		}
		return head, err
	})
}

// Block returns a block's header, status and transaction hashes. With
// L1Accepted it tells how far the chain is proven on L1.
func (p *Pool) Block(ctx context.Context, id BlockID) (starknet.BlockWithHashes, error) {
	return ask(ctx, p, "starknet_getBlockWithTxHashes", []any{id}, func(result []byte) (starknet.BlockWithHashes, error) {
		block, err := blockWithHashesShape.decode(result)
		if err == nil {
			err = id.check(&block.BlockHeader, block.Status)
		}
		if err == nil && block.TransactionCount != uint64(len(block.Transactions)) {
			err = fmt.Errorf("%d transactions of %d", len(block.Transactions), block.TransactionCount)
		}
		return block, err
	})
}

var heightShape = shapeOf(number("block_number", func(n *uint64) *uint64 { return n }))

// PreConfirmedNumber returns the number of the block that is not sealed yet.
func (p *Pool) PreConfirmedNumber(ctx context.Context) (uint64, error) {
	return ask(ctx, p, "starknet_getBlockWithTxHashes", []any{PreConfirmed}, heightShape.decode)
}

// BlockWithReceipts returns a sealed block with its transactions and their
// receipts. It is complete: the numbers of transactions and events are those
// of the header, and every transaction has its own receipt.
func (p *Pool) BlockWithReceipts(ctx context.Context, id BlockID) (starknet.BlockWithReceipts, error) {
	return ask(ctx, p, "starknet_getBlockWithReceipts", []any{id}, func(result []byte) (starknet.BlockWithReceipts, error) {
		block, err := blockWithReceiptsShape.decode(result)
		if err == nil {
			err = id.check(&block.BlockHeader, block.Status)
		}
		if err == nil {
			err = checkReceipts(&block)
		}
		return block, err
	})
}

// checkReceipts refuses a block whose parts do not add up.
func checkReceipts(block *starknet.BlockWithReceipts) error {
	if block.TransactionCount != uint64(len(block.Transactions)) {
		return fmt.Errorf("%d transactions of %d", len(block.Transactions), block.TransactionCount)
	}
	events := 0
	hashes := make(map[starknet.Felt]bool, len(block.Transactions))
	for i := range block.Transactions {
		tx, receipt := &block.Transactions[i].Transaction, &block.Transactions[i].Receipt
		if err := checkReceipt(tx, receipt); err != nil {
			return fmt.Errorf("transaction %d: %w", i, err)
		}
		if hashes[receipt.TransactionHash] {
			return fmt.Errorf("transaction %d: the hash %s occurs twice", i, receipt.TransactionHash)
		}
		hashes[receipt.TransactionHash] = true
		events += len(receipt.Events)
	}
	if block.EventCount != uint64(events) {
		return fmt.Errorf("%d events of %d", events, block.EventCount)
	}
	return nil
}

// checkReceipt refuses a receipt that is not the transaction's.
func checkReceipt(tx *starknet.Transaction, receipt *starknet.Receipt) error {
	deploys := tx.Type == starknet.Deploy || tx.Type == starknet.DeployAccount
	switch {
	case receipt.TransactionHash.IsZero():
		return errors.New("the receipt has no transaction hash")
	case receipt.Type != tx.Type:
		return fmt.Errorf("a receipt of type %s for a transaction of type %s", receipt.Type, tx.Type)
	case receipt.FinalityStatus == starknet.PreConfirmed:
		return errors.New("the receipt is not final")
	case tx.Type == starknet.L1Handler && receipt.MessageHash == nil:
		return errors.New("the receipt has no message hash")
	case deploys && receipt.ContractAddress == nil:
		return errors.New("the receipt has no contract address")
	}
	return nil
}
