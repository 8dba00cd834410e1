package index

import (
	"context"
	"fmt"
	"time"

	"astrolabe/domain"
	"astrolabe/domain/facts"
	"astrolabe/domain/indexing"
	"astrolabe/domain/integrity"
	"astrolabe/starknet"
)

// derivation turns blocks of the node into batches.
type derivation struct {
	*turns
	parent *indexing.Parent // the previous block; nil if it is not stored
	into   indexing.Range
	last   uint64 // the last block to derive
	room   uint64 // events that fill a loading partition
	out    chan indexing.Batch
	batch  indexing.Batch
	held   int              // events in the batch
	due    <-chan time.Time // when the batch is written, however small; nil while it is empty
}

// run sends batches until the last block, or until a loading partition is full.
func (d *derivation) run(ctx context.Context, queue <-chan chan fetched) (full bool, err error) {
	previous, total := d.at.Block, d.into.Events
	if d.parent, err = d.parentOf(ctx, previous); err != nil {
		return false, err
	}
	d.batch = indexing.Batch{After: previous, Range: d.into}
	for answer := range queue {
		next := d.await(ctx, answer, previous)
		if next.err != nil {
			d.flush()
			return false, next.err
		}
		block := next.block
		previous = &domain.BlockRef{Number: block.Header.Number, Hash: block.Header.Hash}
		if next.accepted {
			d.batch.L1 = previous
		}
		if d.due == nil {
			d.due = time.After(d.Sizes.BatchAge)
		}
		d.batch.Blocks = append(d.batch.Blocks, block)
		d.held, total = d.held+len(block.Events), total+uint64(len(block.Events))
		full = d.into.State == indexing.RangeLoading && total >= d.room
		if full || d.held >= d.Sizes.BatchEvents || len(d.batch.Blocks) >= batchBlocks || previous.Number == d.last {
			d.flush()
		}
		if full {
			return true, nil
		}
	}
	d.flush()
	return false, ctx.Err()
}

// derived is a block of the node with its facts.
type derived struct {
	block    facts.Block
	accepted bool // on L1
	err      error
}

// await derives the next block. If the batch is due before the node has answered,
// it is flushed, so that a slow node does not delay blocks that are derived.
func (d *derivation) await(ctx context.Context, answer <-chan fetched, previous *domain.BlockRef) derived {
	done := make(chan derived, 1)
	go func() {
		got := <-answer
		block, err := d.next(ctx, got, previous)
		done <- derived{block, err == nil && got.block.Status == starknet.AcceptedOnL1, err}
	}()
	select {
	case next := <-done:
		return next
	case <-d.due:
		d.flush()
		return <-done
	}
}

// flush sends the batch to the writer, which takes every batch.
func (d *derivation) flush() {
	if len(d.batch.Blocks) == 0 {
		return
	}
	last := d.batch.Blocks[len(d.batch.Blocks)-1].Header
	d.batch.Finalized = d.finalized(last.Number)
	d.out <- d.batch
	d.batch, d.held, d.due = indexing.Batch{After: &domain.BlockRef{Number: last.Number, Hash: last.Hash}, Range: d.into}, 0, nil
}

// next checks that a block is the child of the previous one, and derives its
// facts.
func (d *derivation) next(ctx context.Context, got fetched, previous *domain.BlockRef) (facts.Block, error) {
	if got.err != nil {
		return facts.Block{}, got.err
	}
	if previous != nil && (got.block.BlockNumber != previous.Number+1 || got.block.ParentHash != previous.Hash) {
		return facts.Block{}, fmt.Errorf("%w: block %d has parent %s, but block %d is %s",
			errForked, got.block.BlockNumber, got.block.ParentHash, previous.Number, previous.Hash)
	}
	var before starknet.Felt // the state before the first block is empty
	if d.parent != nil {
		before = d.parent.StateRoot
	}
	if d.parent != nil || got.block.BlockNumber == 0 {
		if err := integrity.Continues(before, got.block.BlockNumber, got.update); err != nil {
			return facts.Block{}, blame(err, got.upstream)
		}
	}
	if err := d.follow(d.parent, got); err != nil {
		return facts.Block{}, err
	}
	d.parent = &indexing.Parent{StateRoot: got.block.NewRoot, Version: got.block.StarknetVersion, Verification: got.verdict.Level}
	return d.memory.facts(ctx, d.turns, got)
}

// parentOf returns what a stored block says about the next one; nil if there is
// no block.
func (t *turns) parentOf(ctx context.Context, block *domain.BlockRef) (*indexing.Parent, error) {
	if block == nil {
		return nil, nil
	}
	parent, held, err := t.Checkpoints.Parent(ctx, t.Chain, block.Number)
	if err == nil && !held {
		err = fmt.Errorf("block %d is missing from the index", block.Number)
	}
	return &parent, err
}
