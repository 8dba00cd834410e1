package index

import (
	"context"
	"errors"
	"fmt"

	"astrolabe/domain"
	"astrolabe/domain/chain"
	"astrolabe/domain/indexing"
)

// errForked means that a block is not the child of the previous one.
var errForked = errors.New("a block is not the child of the previous one")

// forked reports whether the newest stored block left the chain of the node, as
// far as the head of the node shows it. A node that is merely behind shows
// nothing.
func (t *turns) forked(ctx context.Context) (bool, error) {
	if t.at.Block == nil || t.head.Number > t.at.Block.Number || t.head.Number < t.at.First {
		return false, nil
	}
	ours, held, err := t.Checkpoints.BlockHash(ctx, t.Chain, t.head.Number)
	return held && ours != t.head.Hash, err
}

// undo returns to the newest stored block that the node still has. If that is
// below the finalized tier or below a block that is accepted on L1, it changes
// nothing and returns indexing.ErrFinalized or indexing.ErrAcceptedOnL1. If the
// node has the newest stored block after all, it returns
// indexing.ErrInconsistent. The node is checked first: it may have changed its
// chain since the turn began.
func (t *turns) undo(ctx context.Context) error {
	if t.at.Block == nil {
		return fmt.Errorf("%w: block %d is not the child of its parent", indexing.ErrInconsistent, t.at.First)
	}
	head, err := t.ask(ctx)
	if err != nil {
		return err
	}
	t.head = head
	ancestor, err := t.ancestor(ctx)
	if err != nil {
		return err
	}
	if ancestor != nil && ancestor.Number == t.at.Block.Number {
		return fmt.Errorf("%w: the node has the same block %d as the index, but its next block is not a child of it", indexing.ErrInconsistent, ancestor.Number)
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

// ancestor returns the newest stored block on the chain of the node, or nil if
// there is none. It does not search among blocks that are irreversible. A block
// that the node lacks below its own head is not on another chain: it was pruned.
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
		if !has && n < t.head.Number {
			return nil, fmt.Errorf("%w: its head is block %d, but it does not have block %d", chain.ErrPruned, t.head.Number, n)
		}
		if t.irreversible(n) != nil {
			return nil, t.replaced(ctx, n)
		}
		if n == t.at.First {
			return nil, nil
		}
	}
}

// irreversible returns why the index does not undo block n by itself, or nil.
func (t *turns) irreversible(n uint64) error {
	switch {
	case t.at.L1 != nil && n <= t.at.L1.Number:
		return indexing.ErrAcceptedOnL1
	case t.at.Finalized != nil && n <= *t.at.Finalized:
		return indexing.ErrFinalized
	}
	return nil
}

// lookDeeper is how far below an irreversible block a common block is searched,
// to tell the operator the block to roll back to.
const lookDeeper = 1000

// replaced returns an error about the irreversible block n, which the node does
// not have, that names the newest common block. If the node has become one of
// another chain since it was checked, it returns chain.ErrWrongChain.
func (t *turns) replaced(ctx context.Context, n uint64) error {
	if _, err := t.ask(ctx); err != nil {
		return err
	}
	t.same = false
	if err := t.sameChain(ctx); err != nil {
		return err
	}
	first := n // the lowest block that is known to differ
	for ; first > t.at.First && n-first < lookDeeper; first-- {
		ours, held, err := t.Checkpoints.BlockHash(ctx, t.Chain, first-1)
		if err != nil || !held {
			break
		}
		theirs, has, err := t.Node.HashAt(ctx, first-1)
		if err != nil {
			return err
		}
		if has && ours == theirs {
			return fmt.Errorf("%w: block %d of the node differs from the index; if the node is right, stop the indexer and run: astrolabe rollback --chain %s --to %d --yes",
				t.irreversible(first), first, t.Chain, first-1)
		}
	}
	return fmt.Errorf("%w: the blocks of the node differ from the index down to at least block %d; check the node URL, or delete the index: astrolabe rollback --chain %s --all --yes",
		t.irreversible(first), first, t.Chain)
}
