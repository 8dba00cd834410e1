package repair

import (
	"context"
	"errors"
	"fmt"

	"astrolabe/domain/facts"
	"astrolabe/domain/indexing"
	"astrolabe/domain/integrity"
	"astrolabe/starknet"
)

// ErrOtherChain means that the node's block is not the one that the index holds:
// nothing was written.
var ErrOtherChain = errors.New("the node has another block than the index")

// fetch reads a block from the node and confirms that it is the indexed one.
func (j *Job) fetch(ctx context.Context, number uint64, around indexing.Surroundings) (*starknet.BlockWithReceipts, *starknet.StateUpdate, error) {
	block, update, exists, err := j.Node.Block(ctx, number)
	if err != nil {
		return nil, nil, fmt.Errorf("read block %d from the node: %w", number, err)
	}
	if !exists {
		return nil, nil, fmt.Errorf("the node has no block %d; use another node", number)
	}
	if err := j.confirm(ctx, block, around); err != nil {
		return nil, nil, err
	}
	return block, update, nil
}

// confirm checks that a block of the node is the indexed one. The stored hash
// decides. If it differs or is gone, the neighbours decide together: the block
// before by its hash, the block after by its parent hash. If they do not agree
// either, a later block decides whose stored hash commits to the node's block.
func (j *Job) confirm(ctx context.Context, block *starknet.BlockWithReceipts, around indexing.Surroundings) error {
	if around.Hash != nil && *around.Hash == block.BlockHash {
		return nil
	}
	differ := func(claimed *starknet.Felt, has starknet.Felt) bool { return claimed != nil && *claimed != has }
	by := "the neighbouring blocks"
	if around.Before == nil && around.After == nil || differ(around.Before, block.ParentHash) || differ(around.After, block.BlockHash) {
		later, err := j.committing(ctx, block)
		if err != nil {
			return err
		}
		if later == nil {
			return fmt.Errorf("%w: its block %d is %s with parent %s, which neither the stored hash nor other blocks confirm; use another node, or, if the node is right: %s",
				ErrOtherChain, block.BlockNumber, block.BlockHash, block.ParentHash, indexing.Advice(j.Chain).Rollback(block.BlockNumber, 0))
		}
		by = fmt.Sprintf("the stored hash of block %d", *later)
	}
	if around.Hash == nil {
		j.report("block %d: its hash %s is confirmed by %s and the node", block.BlockNumber, block.BlockHash, by)
	} else {
		j.report("block %d: the stored hash %s is wrong; %s is confirmed by %s and the node", block.BlockNumber, around.Hash, block.BlockHash, by)
	}
	return nil
}

// laterBlocks is how many blocks after a damaged one are asked to confirm it.
const laterBlocks = 16

// committing returns the number of the first later block that has its stored hash
// at the node, if that hash commits to the given block: each block in between,
// and the later one itself, has a hash that reproduces and the block before as its
// parent. It returns nil if there is none.
func (j *Job) committing(ctx context.Context, block *starknet.BlockWithReceipts) (*uint64, error) {
	parent := block.BlockHash
	for number := block.BlockNumber + 1; number <= block.BlockNumber+laterBlocks; number++ {
		around, held, err := j.Store.Surroundings(ctx, j.Chain, number)
		if err != nil || !held {
			return nil, err
		}
		later, update, exists, err := j.Node.Block(ctx, number)
		if err != nil {
			return nil, fmt.Errorf("read block %d from the node: %w", number, err)
		}
		if !exists || later.ParentHash != parent {
			return nil, nil
		}
		verdict, err := integrity.Verify(facts.FullyVerified, j.Chain, later, update)
		if err != nil {
			return nil, fmt.Errorf("block %d of the node: %w", number, err)
		}
		if verdict.Level != facts.FullyVerified {
			return nil, nil
		}
		if around.Hash != nil && *around.Hash == later.BlockHash {
			return &number, nil
		}
		parent = later.BlockHash
	}
	return nil, nil
}
