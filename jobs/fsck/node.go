package fsck

import (
	"context"
	"errors"
	"fmt"

	"golang.org/x/sync/errgroup"

	"astrolabe/domain"
	"astrolabe/domain/chain"
	"astrolabe/domain/facts"
	"astrolabe/domain/indexing"
	"astrolabe/starknet"
)

// Node is the node that the index is compared with.
type Node interface {
	// Block returns the block at a height with its state update, if there is one.
	Block(ctx context.Context, number uint64) (*starknet.BlockWithReceipts, *starknet.StateUpdate, bool, error)
	// Head returns the newest accepted block.
	Head(ctx context.Context) (domain.BlockRef, error)
	// L1Head returns the newest block that is accepted on L1, if there is one.
	L1Head(ctx context.Context) (domain.BlockRef, bool, error)
	// Class returns a class, chain.ErrNoClass if the node does not have it, or
	// chain.ErrUnprovenClass if it has only a Cairo 0 class of another hash.
	Class(ctx context.Context, at, hash starknet.Felt) (starknet.Class, error)
	// ClassHashAt returns a contract's class after a block, if it existed.
	ClassHashAt(ctx context.Context, at, contract starknet.Felt) (starknet.Felt, bool, error)
	// StorageAt returns the value of a contract's storage slot after a block;
	// zero if the contract did not exist.
	StorageAt(ctx context.Context, at, contract, slot starknet.Felt) (starknet.Felt, error)
}

// absentError means that the node does not have a block.
type absentError struct{ block uint64 }

// Error implements error.
func (e *absentError) Error() string { return fmt.Sprintf("the node has no block %d", e.block) }

func isAbsent(err error) bool {
	_, ok := errors.AsType[*absentError](err)
	return ok
}

// absent notes that the comparison ended at a block that the node lacks below its
// head. That says nothing about the stored block.
func (l *inspection) absent(err error) {
	if e, ok := errors.AsType[*absentError](err); ok {
		l.note("%s, although its head is block %d: it is pruned or was reorganised just now; nothing from this block on was compared with it", e, l.head)
	}
}

// reach reads how far the node is. What it does not have yet is not compared.
func (l *inspection) reach(ctx context.Context) error {
	if l.Node == nil || l.result.Blocks == 0 {
		return nil
	}
	head, err := l.Node.Head(ctx)
	if err != nil {
		return fmt.Errorf("read the head of the node: %w", err)
	}
	l.head = head.Number
	if l.head < l.newest {
		l.note("the node is behind the index: its head is block %d; later blocks were not compared with it, nor L1 acceptance that it does not know yet", l.head)
	}
	return nil
}

// acceptance compares the watermark of L1 acceptance with the node. It was read
// first, so that it cannot be ahead of a node that told the truth since.
func (l *inspection) acceptance(ctx context.Context) error {
	if l.Node == nil || l.l1 == nil {
		return nil
	}
	accepted, known, err := l.Node.L1Head(ctx)
	if err != nil {
		return fmt.Errorf("read the newest block accepted on L1 from the node: %w", err)
	}
	if !known {
		return nil
	}
	if l.l1.Number > accepted.Number && l.head >= l.newest || l.l1.Number == accepted.Number && l.l1.Hash != accepted.Hash && l.l1.Hash != (starknet.Felt{}) {
		l.found(indexing.Finding{
			Check: "L1 acceptance", Detail: fmt.Sprintf("the watermark is block %s, but according to the node L1 has accepted block %s", l.l1, accepted),
			Repair: indexing.Advice(l.Chain).Checkpoint(),
		})
	}
	return nil
}

// node compares every block with the node.
func (l *inspection) node(ctx context.Context) error {
	if l.Node == nil || l.head < l.result.First {
		return nil
	}
	seen, err := l.Archive.FirstSeen(ctx, l.Chain, l.result.First)
	if err != nil {
		return err
	}
	return l.compare(ctx, "comparing with the node", min(l.result.Last, l.head), nil, func(ctx context.Context, stored []facts.Block) ([]facts.Block, error) {
		view, pools, err := l.replay.View(ctx, stored)
		if err != nil {
			return nil, err
		}
		expected, absent := make([]facts.Block, len(stored)), make([]bool, len(stored))
		group, asking := errgroup.WithContext(ctx)
		group.SetLimit(fetchers)
		for i := range stored {
			at := view
			at.Block = stored[i].Header.Number
			group.Go(func() (err error) {
				expected[i], err = l.fetch(asking, &stored[i], pools, at)
				if absent[i] = isAbsent(err); absent[i] {
					return nil
				}
				return err
			})
		}
		if err := group.Wait(); err != nil {
			return nil, err
		}
		for i := range expected {
			if absent[i] {
				return expected[:i], &absentError{stored[i].Header.Number}
			}
			expected[i].Tokens = seen.First(expected[i].Header.Number, expected[i].Tokens)
		}
		return expected, nil
	})
}

// fetchers is the number of concurrent fetches.
const fetchers = 4

// fetch derives the expected block from the responses of the node.
func (l *inspection) fetch(ctx context.Context, stored *facts.Block, pools []starknet.Felt, at facts.View) (facts.Block, error) {
	number := stored.Header.Number
	block, update, exists, err := l.Node.Block(ctx, number)
	if err != nil {
		return facts.Block{}, fmt.Errorf("read block %d from the node: %w", number, err)
	}
	if !exists {
		return facts.Block{}, &absentError{number}
	}
	observed, err := l.observed(ctx, block.ParentHash, stored.Changes)
	if err != nil {
		return facts.Block{}, err
	}
	implementations, err := l.implementations(ctx, block, update, stored.Implementations, at)
	if err != nil {
		return facts.Block{}, err
	}
	expected, err := facts.Derive(block, update, facts.Lookups{Classes: observed, Implementations: implementations, Pools: pools}, at)
	if err != nil {
		return facts.Block{}, fmt.Errorf("block %d of the node: %w", number, err)
	}
	for _, class := range stored.Classes {
		fetched, err := l.Node.Class(ctx, block.BlockHash, class.Hash)
		switch {
		case errors.Is(err, chain.ErrUnprovenClass): // it says nothing about the stored one
			expected.Classes = append(expected.Classes, class)
		case errors.Is(err, chain.ErrNoClass):
			expected.Classes = append(expected.Classes, facts.MissingClass(class.Hash))
		case err != nil:
			return facts.Block{}, fmt.Errorf("read class %s from the node: %w", class.Hash, err)
		default:
			expected.Classes = append(expected.Classes, facts.NewClass(class.Hash, fetched))
		}
	}
	return expected, nil
}

// observed reads the classes that contracts had before the block again.
func (l *inspection) observed(ctx context.Context, parent starknet.Felt, changes []facts.ClassChange) (observed []facts.ClassChange, err error) {
	for _, change := range changes {
		if change.Origin != facts.Observed {
			continue
		}
		class, exists, err := l.Node.ClassHashAt(ctx, parent, change.Address)
		if err != nil {
			return nil, fmt.Errorf("read the class of %s from the node: %w", change.Address, err)
		}
		if exists {
			observed = append(observed, facts.ClassChange{Address: change.Address, Origin: facts.Observed, Class: class})
		}
	}
	return observed, nil
}
