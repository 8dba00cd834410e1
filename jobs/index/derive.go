package index

import (
	"context"

	"astrolabe/domain/facts"
	"astrolabe/domain/indexing"
	"astrolabe/starknet"
)

// Derive verifies a block of the node and returns its rows, as an index stores
// them that begins with the block first and has just stored the block before.
// Classes must answer from those earlier blocks only.
func (l *Loop) Derive(ctx context.Context, first uint64, block *starknet.BlockWithReceipts, update *starknet.StateUpdate) (facts.Block, error) {
	got := fetched{block: block, update: update}
	if l.verify(&got); got.err != nil {
		return facts.Block{}, got.err
	}
	l.Sizes = l.Sizes.orDefault()
	t := &turns{Loop: l, memory: newMemory(), at: indexing.Checkpoint{First: first}}
	return t.memory.facts(ctx, t, got)
}
