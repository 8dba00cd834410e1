package index

import (
	"context"

	"astrolabe/domain/facts"
	"astrolabe/domain/indexing"
	"astrolabe/starknet"
)

// Derive verifies a block of the node and returns its rows, as an index stores
// them that begins with the block first and has just stored the block before.
// Classes must answer from those earlier blocks only. A block that cannot be
// verified as far as the stored one before it is refused as the indexer does.
func (l *Loop) Derive(ctx context.Context, first uint64, block *starknet.BlockWithReceipts, update *starknet.StateUpdate) (facts.Block, error) {
	got := fetched{block: block, update: update}
	if l.verify(&got); got.err != nil {
		return facts.Block{}, got.err
	}
	if block.BlockNumber > first {
		parent, held, err := l.Checkpoints.Parent(ctx, l.Chain, block.BlockNumber-1)
		if err == nil && held {
			err = l.follow(&parent, got)
		}
		if err != nil {
			return facts.Block{}, err
		}
	}
	l.Sizes = l.Sizes.orDefault()
	t := &turns{Loop: l, memory: newMemory(), at: indexing.Checkpoint{First: first}, repairing: true}
	return t.memory.facts(ctx, t, got)
}
