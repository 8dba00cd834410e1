package index

import (
	"context"
	"errors"
	"fmt"

	"astrolabe/domain"
	"astrolabe/domain/indexing"
)

// errForked means that a block does not follow the one before it.
var errForked = errors.New("a block does not follow the one before it")

// forked tells whether the newest stored block left the node's chain, as far
// as the node's head shows it. A node that is only behind says nothing.
func (t *turns) forked(ctx context.Context) (bool, error) {
	if t.at.Block == nil || t.head.Number > t.at.Block.Number || t.head.Number < t.at.First {
		return false, nil
	}
	ours, held, err := t.Checkpoints.BlockHash(ctx, t.Chain, t.head.Number)
	return held && ours != t.head.Hash, err
}

// undo goes back to the newest stored block that the node still has. When
// that is below the finalized tier, it changes nothing and is
// indexing.ErrFinalized; when nothing was undone, because the node has our newest
// block after all, it is indexing.ErrInconsistent.
func (t *turns) undo(ctx context.Context) error {
	if t.at.Block == nil {
		return fmt.Errorf("%w: block %d does not follow its parent", indexing.ErrInconsistent, t.at.First)
	}
	ancestor, err := t.ancestor(ctx)
	if err != nil {
		return err
	}
	if ancestor != nil && ancestor.Number == t.at.Block.Number {
		return fmt.Errorf("%w: the node has block %d as we do, and a next one that does not follow it", indexing.ErrInconsistent, ancestor.Number)
	}
	from := t.at.Block.Number
	if err := t.Writer.Undo(ctx, t.lease, ancestor); err != nil {
		return err
	}
	t.forget()
	if ancestor == nil {
		t.Logger.Info("reorg replaced every indexed block; starting the index again", "chain", t.Chain)
	} else {
		t.Logger.Info("reorg: removed blocks that left the chain", "chain", t.Chain, "from", ancestor.Number+1, "to", from)
	}
	return t.reload(ctx)
}

// ancestor returns the newest stored block that is on the node's chain, nil
// when there is none. It looks no further than the finalized tier.
func (t *turns) ancestor(ctx context.Context) (*domain.BlockRef, error) {
	for n := t.at.Block.Number; ; n-- {
		ours, held, err := t.Checkpoints.BlockHash(ctx, t.Chain, n)
		if err != nil {
			return nil, err
		}
		if !held {
			return nil, fmt.Errorf("block %d is missing from the index", n)
		}
		theirs, has, err := t.Node.HashAt(ctx, n)
		if err != nil {
			return nil, err
		}
		if has && ours == theirs {
			return &domain.BlockRef{Number: n, Hash: ours}, nil
		}
		if t.at.Finalized != nil && n <= *t.at.Finalized {
			return nil, t.belowFinalized(ctx, n)
		}
		if n == t.at.First {
			return nil, nil
		}
	}
}

// lookDeeper is how far below the finalized tier a common block is looked for,
// to tell the operator where to go.
const lookDeeper = 1000

// belowFinalized says that the node has another final block n, and which block
// both still have.
func (t *turns) belowFinalized(ctx context.Context, n uint64) error {
	for deeper := n; deeper > t.at.First && n-deeper < lookDeeper; {
		deeper--
		ours, held, err := t.Checkpoints.BlockHash(ctx, t.Chain, deeper)
		if err != nil || !held {
			break
		}
		theirs, has, err := t.Node.HashAt(ctx, deeper)
		if err != nil {
			return err
		}
		if has && ours == theirs {
			return fmt.Errorf("%w: the node has another block %d than the index; if the node is right, stop the index and run: astrolabe rollback --chain %s --to %d",
				indexing.ErrFinalized, deeper+1, t.Chain, deeper)
		}
	}
	return fmt.Errorf("%w: the node has other blocks than the index, down to block %d at least; is it the right node? astrolabe rollback --chain %s --all forgets the index",
		indexing.ErrFinalized, n, t.Chain)
}
