package index

import (
	"context"
	"fmt"

	"astrolabe/domain/chain"
	"astrolabe/domain/indexing"
)

// identify stores the hash of block 0, by which a simulated chain is told from a
// real one. A leader asks for it once, when the node has confirmed the newest
// stored block: then block 0 is that of the chain from which the rows come. A node
// that does not have block 0 leaves it unknown.
func (t *turns) identify(ctx context.Context) error {
	if t.at.Genesis != nil || t.at.Block == nil || t.head.Number < t.at.First || t.identity {
		return nil
	}
	hash, found, err := t.Node.HashAt(ctx, 0)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		t.warn(ctx, "could not read the hash of block 0", err)
	}
	t.identity = true
	if err != nil || !found {
		return nil //nolint:nilerr // the index is as good without it
	}
	return t.Checkpoints.RecordGenesis(ctx, t.lease, hash)
}

// sameChain returns an error if the first stored block is finalized and the node
// has another one in its place: then the node follows another chain of the same
// name, such as a simulated one, and no reorg leads from one to the other. A
// leader asks until the node has answered once. A node that does not have the
// block tells nothing.
func (t *turns) sameChain(ctx context.Context) error {
	if t.same || t.at.Finalized == nil || t.head.Number < t.at.First {
		return nil
	}
	stored, held, err := t.Checkpoints.BlockHash(ctx, t.Chain, t.at.First)
	if err != nil || !held {
		return err
	}
	hash, found, err := t.Node.HashAt(ctx, t.at.First)
	if err != nil {
		return err
	}
	if found && hash != stored {
		return fmt.Errorf("%w: its block %d is %s, but the index of %s holds %s; use a node of the chain that was indexed, or another database; or remove the index: %s",
			chain.ErrWrongChain, t.at.First, hash, t.Chain, stored, indexing.Advice(t.Chain).Rollback(0, 0))
	}
	t.same = true
	return nil
}
