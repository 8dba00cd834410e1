package repair

import (
	"context"
	"errors"
	"fmt"

	"astrolabe/domain/indexing"
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
	if err := j.confirm(block, around); err != nil {
		return nil, nil, err
	}
	return block, update, nil
}

// confirm checks that a block of the node is the indexed one. The stored hash
// decides. If it differs or is gone, the neighbours decide together: the block
// before by its hash, the block after by its parent hash.
func (j *Job) confirm(block *starknet.BlockWithReceipts, around indexing.Surroundings) error {
	if around.Hash != nil && *around.Hash == block.BlockHash {
		return nil
	}
	differ := func(claimed *starknet.Felt, has starknet.Felt) bool { return claimed != nil && *claimed != has }
	if around.Before == nil && around.After == nil || differ(around.Before, block.ParentHash) || differ(around.After, block.BlockHash) {
		return fmt.Errorf("%w: its block %d is %s with parent %s, which neither the stored hash nor both neighbours confirm; use another node, or, if the node is right: %s",
			ErrOtherChain, block.BlockNumber, block.BlockHash, block.ParentHash, indexing.Advice(j.Chain).Rollback(block.BlockNumber, 0))
	}
	if around.Hash == nil {
		j.report("block %d: its hash %s is confirmed by the neighbouring blocks and the node", block.BlockNumber, block.BlockHash)
	} else {
		j.report("block %d: the stored hash %s is wrong; %s is confirmed by the neighbouring blocks and the node", block.BlockNumber, around.Hash, block.BlockHash)
	}
	return nil
}
