package repair

import (
	"context"
	"errors"
	"fmt"
	"log/slog"

	"astrolabe/domain/facts"
	"astrolabe/domain/indexing"
	"astrolabe/jobs/index"
	"astrolabe/starknet"
)

// block repairs one block.
func (j *Job) block(ctx context.Context, lease indexing.Lease, number uint64) error {
	at, err := j.Checkpoints.Checkpoint(ctx, j.Chain)
	if err != nil {
		return err
	}
	if at == nil || number < at.First || number >= at.Next() {
		if err := j.Store.RemoveBlock(ctx, lease, number); err != nil {
			return err
		}
		j.report("block %d is not indexed; its rows were removed", number)
		return nil
	}
	around, held, err := j.Store.Surroundings(ctx, j.Chain, number)
	if err != nil {
		return err
	}
	if !held {
		return fmt.Errorf("block %d belongs to no partition; run: astrolabe fsck --chain %s", number, j.Chain)
	}
	stored, digest, err := j.stored(ctx, number)
	if err != nil {
		return err
	}
	damaged := stored == nil || digest != nil && facts.BaseDigest(stored) != *digest
	block, update, err := j.fetch(ctx, number, around, damaged && number == at.Block.Number && reversible(at))
	if err != nil {
		return err
	}
	expected, err := j.derive(ctx, at, around.Level, block, update)
	if err != nil {
		return err
	}
	if level := expected.Header.Verification; facts.Lesser(level, around.Level) != around.Level && (digest == nil || facts.BaseDigest(&expected) != *digest) {
		return fmt.Errorf("%w: block %d was verified to the level %s, but the node's reaches %s only; use a node that returns its commitments",
			ErrUnproven, number, around.Level, level)
	}
	difference, changed := "rows cannot be read", true
	if stored != nil {
		var d facts.Difference
		d, changed = facts.FirstDifference(stored, &expected)
		difference = d.String()
	}
	forgotten, err := j.Store.RepairBlock(ctx, lease, around.Range, expected, changed)
	if err != nil {
		return err
	}
	switch {
	case changed:
		j.report("block %d rewritten: %s", number, difference)
	case stored.Header.Verification != expected.Header.Verification:
		j.report("block %d confirmed; it is verified: %s", number, expected.Header.Verification)
	case digest == nil:
		j.report("block %d confirmed, and its digest stored", number)
	default:
		j.report("block %d confirmed", number)
	}
	return j.follow(ctx, lease, number, affected(stored, &expected, forgotten))
}

// reversible reports whether the indexer itself may replace the newest block.
func reversible(at *indexing.Checkpoint) bool {
	newest := at.Block.Number
	return (at.Finalized == nil || *at.Finalized < newest) && (at.L1 == nil || at.L1.Number < newest)
}

// stored returns a block as it is stored; nil if it cannot be read.
func (j *Job) stored(ctx context.Context, number uint64) (*facts.Block, *facts.Digest, error) {
	for run, err := range j.Archive.StoredRuns(ctx, j.Chain, number, number) {
		if errors.Is(err, indexing.ErrDamaged) {
			return nil, nil, nil
		}
		if err != nil {
			// A table that is missing cannot be read either; repairing creates it.
			return nil, nil, nil //nolint:nilerr // the write that follows reports an outage
		}
		return &run.Blocks[0], run.Digests[0], nil
	}
	return nil, nil, nil
}

// ErrUnproven means that the node's block cannot be verified as far as the stored
// one was, and is not the one that was committed: nothing was written.
var ErrUnproven = errors.New("the node does not prove its block")

// derive verifies a block of the node, at least as far as the stored one was, and
// returns all its rows, as an index that reached it without damage would have
// stored them.
func (j *Job) derive(ctx context.Context, at *indexing.Checkpoint, stored facts.Verification, block *starknet.BlockWithReceipts, update *starknet.StateUpdate) (facts.Block, error) {
	number := block.BlockNumber
	earlier := &past{Job: j, before: number, at: block.BlockHash}
	pools, err := j.Archive.PrivacyPools(ctx, j.Chain)
	if err != nil {
		return facts.Block{}, err
	}
	level := j.Verify
	if facts.Lesser(level, stored) != stored {
		level = stored
	}
	indexer := index.Loop{
		Chain: j.Chain, Pools: pools, Node: j.Node, Checkpoints: j.Checkpoints, Classes: earlier, Verify: level, Logger: slog.New(slog.DiscardHandler),
	}
	expected, err := indexer.Derive(ctx, at.First, block, update)
	if err != nil {
		return facts.Block{}, fmt.Errorf("block %d of the node: %w", number, err)
	}
	expected.Classes = earlier.first(expected.Classes)
	seen, err := j.Archive.FirstSeen(ctx, j.Chain, number)
	expected.Tokens = seen.First(number, expected.Tokens)
	return expected, err
}
