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
// newest says that it is the newest one, whose rows are damaged.
func (j *Job) fetch(ctx context.Context, number uint64, around indexing.Surroundings, newest bool) (*starknet.BlockWithReceipts, *starknet.StateUpdate, error) {
	block, update, exists, err := j.Node.Block(ctx, number)
	if err != nil {
		return nil, nil, fmt.Errorf("read block %d from the node: %w", number, err)
	}
	if !exists {
		return nil, nil, fmt.Errorf("the node has no block %d; use another node", number)
	}
	return block, update, j.confirm(ctx, block, update, around, newest)
}

// confirm checks that a block of the node is the indexed one. The stored hash
// decides. If it differs or is gone, the neighbours decide together: the block
// before by its hash, the block after by its parent hash. If they do not agree
// either, a later block decides whose stored hash commits to the node's block. The
// newest block, if its rows are damaged, may be any child of the block before whose
// hash reproduces: the indexer would replace it by that, too.
func (j *Job) confirm(ctx context.Context, block *starknet.BlockWithReceipts, update *starknet.StateUpdate, around indexing.Surroundings, newest bool) error {
	if around.Hash != nil && *around.Hash == block.BlockHash {
		return nil
	}
	differ := func(claimed *starknet.Felt, has starknet.Felt) bool { return claimed != nil && *claimed != has }
	by := "the neighbouring blocks"
	if around.Before == nil && around.After == nil || differ(around.Before, block.ParentHash) || differ(around.After, block.BlockHash) {
		confirmed, err := j.committing(ctx, block)
		if err != nil {
			return err
		}
		if newest && confirmed.hash.IsZero() && around.Before != nil && *around.Before == block.ParentHash {
			if confirmed, err = j.onTop(block, update); err != nil {
				return err
			}
		}
		if confirmed.hash != block.BlockHash {
			return fmt.Errorf("%w: its block %d is %s with parent %s, which neither the stored hash nor other blocks confirm; use another node, or, if the node is right: %s",
				ErrOtherChain, block.BlockNumber, block.BlockHash, block.ParentHash, indexing.Advice(j.Chain).Rollback(block.BlockNumber, 0))
		}
		by = confirmed.by
	}
	if around.Hash == nil {
		j.report("block %d: its hash %s is confirmed by %s and the node", block.BlockNumber, block.BlockHash, by)
	} else {
		j.report("block %d: the stored hash %s is wrong; %s is confirmed by %s and the node", block.BlockNumber, around.Hash, block.BlockHash, by)
	}
	return nil
}

// laterBlocks is how many blocks after the last damaged one are asked to confirm
// those before.
const laterBlocks = 16

// confirmation is the hash of a block that is not the stored one, and what
// confirms it.
type confirmation struct {
	hash starknet.Felt
	by   string
}

// onTop confirms a child of the block before by its own content.
func (j *Job) onTop(block *starknet.BlockWithReceipts, update *starknet.StateUpdate) (confirmation, error) {
	verdict, err := integrity.Verify(facts.FullyVerified, j.Chain, block, update)
	if err != nil || verdict.Level != facts.FullyVerified {
		return confirmation{}, err
	}
	return confirmation{block.BlockHash, "the block before"}, nil
}

// committing confirms a block by the first later block that has its stored hash at
// the node, if that hash commits to it: each block in between, and the later one
// itself, has a hash that reproduces and the block before as its parent. The
// blocks in between are then confirmed, too. The result is zero if there is none.
func (j *Job) committing(ctx context.Context, block *starknet.BlockWithReceipts) (confirmation, error) {
	if known := j.confirmed[block.BlockNumber]; known.hash == block.BlockHash {
		return known, nil
	}
	hashes := []starknet.Felt{block.BlockHash}
	for number := block.BlockNumber + 1; number <= max(block.BlockNumber, j.last)+laterBlocks; number++ {
		around, held, err := j.Store.Surroundings(ctx, j.Chain, number)
		if err != nil || !held {
			return confirmation{}, err
		}
		later, update, exists, err := j.Node.Block(ctx, number)
		if err != nil {
			return confirmation{}, fmt.Errorf("read block %d from the node: %w", number, err)
		}
		if !exists || later.ParentHash != hashes[len(hashes)-1] {
			return confirmation{}, nil
		}
		verdict, err := integrity.Verify(facts.FullyVerified, j.Chain, later, update)
		if err != nil {
			return confirmation{}, fmt.Errorf("block %d of the node: %w", number, err)
		}
		if verdict.Level != facts.FullyVerified {
			return confirmation{}, nil
		}
		if around.Hash != nil && *around.Hash == later.BlockHash {
			by := fmt.Sprintf("the stored hash of block %d", number)
			j.confirmed = make(map[uint64]confirmation, len(hashes))
			for i, hash := range hashes {
				j.confirmed[block.BlockNumber+uint64(i)] = confirmation{hash, by}
			}
			return j.confirmed[block.BlockNumber], nil
		}
		hashes = append(hashes, later.BlockHash)
	}
	return confirmation{}, nil
}
