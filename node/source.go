package node

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"astrolabe/domain"
	"astrolabe/domain/chain"
	"astrolabe/starknet"
)

// Source is the pool as the indexer and reads use it. Its errors are
// chain.ErrNodeUnavailable, chain.ErrRateLimited, chain.ErrInvalidAnswer,
// chain.ErrWrongChain, chain.ErrNodeVersion and those named by its methods.
type Source struct {
	pool   *Pool
	quorum int // see WithQuorum
}

// Source returns the pool as a Source.
func (p *Pool) Source() Source { return Source{pool: p, quorum: 1} }

// Error codes of the node with a special meaning.
const (
	contractNotFound  = 20
	blockNotFound     = 24
	classHashNotFound = 28
)

// Head surveys the upstreams and returns the newest accepted block.
func (s Source) Head(ctx context.Context) (domain.BlockRef, error) {
	head, answers, err := s.pool.survey(ctx, s.quorum)
	if err != nil || s.quorum == 1 {
		return head, judge(err)
	}
	return s.agreedHead(ctx, answers)
}

// L1Head returns the newest block that an upstream reports as accepted on L1, and
// false if there is none.
func (s Source) L1Head(ctx context.Context) (domain.BlockRef, bool, error) {
	answers, err := s.pool.l1Heads(ctx, s.quorum)
	if err != nil {
		return domain.BlockRef{}, false, judge(err)
	}
	furthest, err := newest(answers)
	if hasCode(err, blockNotFound) {
		return domain.BlockRef{}, false, nil
	}
	if err != nil {
		return domain.BlockRef{}, false, judge(err)
	}
	if s.quorum == 1 {
		return furthest.value, true, nil
	}
	agreed, err := s.agreedHead(ctx, answers)
	return agreed, err == nil, err
}

// HashAt returns the hash of the block with a number, and false if the node has
// none.
func (s Source) HashAt(ctx context.Context, number uint64) (starknet.Felt, bool, error) {
	if s.quorum > 1 {
		return s.agreedHash(ctx, number)
	}
	block, err := s.pool.Block(ctx, AtNumber(number))
	if hasCode(err, blockNotFound) {
		return starknet.Felt{}, false, nil
	}
	return block.BlockHash, err == nil, judge(err)
}

// Block returns a block and its state update, if possible from the same upstream.
// It returns false if the node has no such block. Both have the same hash, unless
// the node insists on another one for the block than for its state update. If only
// the state update fails, it returns the block with the error.
func (s Source) Block(ctx context.Context, number uint64) (*starknet.BlockWithReceipts, *starknet.StateUpdate, bool, error) {
	id := AtNumber(number)
	if s.quorum > 1 {
		hash, has, err := s.agreedHash(ctx, number)
		if err != nil || !has {
			return nil, nil, false, err
		}
		id = BlockID{number: &number, hash: &hash}
	}
	tracing, answered := chain.TraceUpstreams(ctx)
	block, err := s.pool.BlockWithReceipts(tracing, id)
	if hasCode(err, blockNotFound) {
		return nil, nil, false, nil
	}
	if err != nil {
		return nil, nil, false, judge(err)
	}
	update, has, err := s.Update(prefer(ctx, answered.String()), &block)
	if err != nil || has {
		return &block, update, has, err
	}
	return nil, nil, false, nil
}

// Update returns the state update of a block, and false if the node does not have
// the block any more.
func (s Source) Update(ctx context.Context, block *starknet.BlockWithReceipts) (*starknet.StateUpdate, bool, error) {
	update, err := s.pool.StateUpdate(ctx, AtHash(block.BlockHash))
	has := true
	if hasCode(err, blockNotFound) { // it left the chain in between, or never had this hash
		update, has, err = s.insists(ctx, block.BlockHash, block.BlockNumber)
	}
	if err != nil || !has {
		return nil, false, judge(err)
	}
	return &update, true, nil
}

// insists returns the state update that the node has at a height under another
// hash than the given one, if it still returns the block itself under that.
func (s Source) insists(ctx context.Context, hash starknet.Felt, number uint64) (update starknet.StateUpdate, still bool, err error) {
	update, err = s.pool.StateUpdate(ctx, AtNumber(number))
	var again starknet.BlockWithReceipts
	if err == nil {
		again, err = s.pool.BlockWithReceipts(ctx, AtNumber(number))
	}
	if hasCode(err, blockNotFound) {
		return update, false, nil
	}
	return update, again.BlockHash == hash, err
}

// Class returns a class that the block names, chain.ErrNoClass if the node does
// not have it, the class with chain.ErrUnprovenClass if it is a Cairo 0 class of
// another hash, or chain.ErrPruned if it does not have the block.
func (s Source) Class(ctx context.Context, at, hash starknet.Felt) (starknet.Class, error) {
	class, err := s.pool.Class(ctx, AtHash(at), hash)
	if hasCode(err, classHashNotFound) {
		return starknet.Class{}, fmt.Errorf("%w: %s", chain.ErrNoClass, hash)
	}
	return class, judgeAt(at, err)
}

// ClassHashAt returns the class of a contract after a block, and false if the
// contract did not exist. If the node does not have the block, it returns
// chain.ErrPruned. All upstreams are asked; if two differ, it returns
// indexing.ErrInconsistent.
func (s Source) ClassHashAt(ctx context.Context, at, contract starknet.Felt) (starknet.Felt, bool, error) {
	return s.unanimous(ctx, at, "starknet_getClassHashAt", AtHash(at), contract)
}

// StorageAt returns the value of a contract's storage slot after a block. It is
// zero if the contract did not exist. All upstreams are asked; if two differ, it
// returns indexing.ErrInconsistent.
func (s Source) StorageAt(ctx context.Context, at, contract, slot starknet.Felt) (starknet.Felt, error) {
	value, _, err := s.unanimous(ctx, at, "starknet_getStorageAt", contract, slot, AtHash(at))
	return value, err
}

// News returns a channel that receives a value when the head of the chain may
// have changed, until ctx ends. Several changes may be one value.
func (s Source) News(ctx context.Context) <-chan struct{} {
	news := make(chan struct{}, 1)
	stream := s.pool.SubscribeHeads(ctx)
	go func() {
		for range stream.Messages() {
			select {
			case news <- struct{}{}:
			default: // a value is already pending
			}
		}
	}()
	return news
}

// RateLimited reports whether every upstream has refused calls for its rate limit
// lately, or takes none now.
func (s Source) RateLimited() bool {
	now := s.pool.options.clock.Now()
	return !slices.ContainsFunc(s.pool.upstreams, func(u *upstream) bool { return !u.pacer.Limiting(now) })
}

func hasCode(err error, code int) bool {
	answer, ok := errors.AsType[*RPCError](err)
	return ok && answer.Code == code
}

// judge maps errors of the pool to those of the domain.
func judge(err error) error {
	switch {
	case err == nil, errors.Is(err, chain.ErrWrongChain), errors.Is(err, chain.ErrNodeVersion), errors.Is(err, chain.ErrUnprovenClass):
		return err
	case errors.Is(err, ErrInvalidAnswer), errors.Is(err, ErrTooLarge):
		return fmt.Errorf("%w: %w", chain.ErrInvalidAnswer, err)
	case errors.Is(err, ErrRateLimited):
		return fmt.Errorf("%w: %w", chain.ErrRateLimited, err)
	}
	return fmt.Errorf("%w: %w", chain.ErrNodeUnavailable, err)
}

// judgeAt is judge for a read at a block that the chain has.
func judgeAt(block starknet.Felt, err error) error {
	if hasCode(err, blockNotFound) {
		return fmt.Errorf("%w: block %s (%w)", chain.ErrPruned, block, err)
	}
	return judge(err)
}
