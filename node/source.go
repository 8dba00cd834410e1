package node

import (
	"context"
	"errors"
	"fmt"

	"astrolabe/domain"
	"astrolabe/domain/chain"
	"astrolabe/starknet"
)

// Source is the chain as the index reads it. Its errors are
// chain.ErrNodeUnavailable, chain.ErrInvalidAnswer, chain.ErrWrongChain and
// what the methods name.
type Source struct{ pool *Pool }

// Source returns the pool as a source for the index.
func (p *Pool) Source() Source { return Source{p} }

// The node's error codes that the index understands.
const (
	contractNotFound  = 20
	blockNotFound     = 24
	classHashNotFound = 28
)

// Head returns the newest accepted block.
func (s Source) Head(ctx context.Context) (domain.BlockRef, error) {
	head, err := s.pool.Head(ctx)
	return head, judge(err)
}

// L1Head returns the newest block that was proven on L1, and false when the
// node knows of none.
func (s Source) L1Head(ctx context.Context) (domain.BlockRef, bool, error) {
	block, err := s.pool.Block(ctx, L1Accepted)
	if hasCode(err, blockNotFound) {
		return domain.BlockRef{}, false, nil
	}
	return domain.BlockRef{Number: block.BlockNumber, Hash: block.BlockHash}, err == nil, judge(err)
}

// HashAt returns the hash of the block at a height, and false when the node
// has none there.
func (s Source) HashAt(ctx context.Context, number uint64) (starknet.Felt, bool, error) {
	block, err := s.pool.Block(ctx, AtNumber(number))
	if hasCode(err, blockNotFound) {
		return starknet.Felt{}, false, nil
	}
	return block.BlockHash, err == nil, judge(err)
}

// Block returns the block at a height and what it changed, both of the same
// hash. It is false when the node has no such block.
func (s Source) Block(ctx context.Context, number uint64) (*starknet.BlockWithReceipts, *starknet.StateUpdate, bool, error) {
	block, err := s.pool.BlockWithReceipts(ctx, AtNumber(number))
	if hasCode(err, blockNotFound) {
		return nil, nil, false, nil
	}
	if err != nil {
		return nil, nil, false, judge(err)
	}
	update, err := s.pool.StateUpdate(ctx, AtHash(block.BlockHash))
	if hasCode(err, blockNotFound) { // it left the chain in between
		return nil, nil, false, nil
	}
	if err != nil {
		return nil, nil, false, judge(err)
	}
	return &block, &update, true, nil
}

// Class returns a class that the block names. It is chain.ErrNoClass when the
// node does not have it.
func (s Source) Class(ctx context.Context, at, hash starknet.Felt) (starknet.Class, error) {
	class, err := s.pool.Class(ctx, AtHash(at), hash)
	if hasCode(err, classHashNotFound) {
		return starknet.Class{}, fmt.Errorf("%w: %s", chain.ErrNoClass, hash)
	}
	return class, judge(err)
}

// ClassHashAt returns the class of a contract after a block, and false when
// there was no such contract.
func (s Source) ClassHashAt(ctx context.Context, at, contract starknet.Felt) (starknet.Felt, bool, error) {
	hash, err := s.pool.ClassHashAt(ctx, AtHash(at), contract)
	if hasCode(err, contractNotFound) {
		return starknet.Felt{}, false, nil
	}
	return hash, err == nil, judge(err)
}

// News returns a channel that has a value whenever the tip of the chain may
// have moved, until ctx ends. Several moves may be one value.
func (s Source) News(ctx context.Context) <-chan struct{} {
	news := make(chan struct{}, 1)
	stream := s.pool.SubscribeHeads(ctx)
	go func() {
		for range stream.Messages() {
			select {
			case news <- struct{}{}:
			default: // one is waiting already
			}
		}
	}()
	return news
}

func hasCode(err error, code int) bool {
	answer, ok := errors.AsType[*RPCError](err)
	return ok && answer.Code == code
}

// judge gives the node's failures the index's own names.
func judge(err error) error {
	switch {
	case err == nil, errors.Is(err, chain.ErrWrongChain):
		return err
	case errors.Is(err, ErrInvalidAnswer), errors.Is(err, ErrTooLarge):
		return fmt.Errorf("%w: %w", chain.ErrInvalidAnswer, err)
	}
	return fmt.Errorf("%w: %w", chain.ErrNodeUnavailable, err)
}
