package node

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"astrolabe/domain"
	"astrolabe/domain/chain"
	"astrolabe/domain/indexing"
	"astrolabe/node/wire"
	"astrolabe/starknet"
)

// Upstreams returns the number of upstreams that answer calls.
func (p *Pool) Upstreams() int { return len(p.upstreams) }

// WithQuorum returns a source that believes upstreams only where so many of them
// agree: the block at a height is the one that most of them have, at least the
// required number, and the head is the newest such block. Blocks are then read by
// that hash, from any upstream that has it. Where there is none, Head, HashAt,
// L1Head and Block return indexing.ErrNoQuorum. A quorum of 1 believes any
// upstream.
func (s Source) WithQuorum(required int) Source {
	s.quorum = required
	return s
}

// agreedHash returns the hash that the quorum has at a height, and false if it has
// no such block.
func (s Source) agreedHash(ctx context.Context, number uint64) (starknet.Felt, bool, error) {
	params, err := json.Marshal([]any{AtNumber(number)})
	if err != nil {
		return starknet.Felt{}, false, err
	}
	q := query{method: "starknet_getBlockWithTxHashes", params: params}
	answers, err := askAll(chain.Untraced(ctx), s.pool, s.quorum, q, func(result []byte) (starknet.Felt, error) {
		block, err := wire.DecodeBlockWithHashes(result)
		if err == nil {
			err = AtNumber(number).check(&block.BlockHeader, block.Status)
		}
		return block.BlockHash, err
	})
	if err == nil {
		err = context.Cause(ctx)
	}
	if err != nil {
		return starknet.Felt{}, false, judge(err)
	}
	return s.count(number, answers)
}

// count returns the hash with the most votes. A tie, which only a quorum of at
// most half of the upstreams allows, decides nothing.
func (s Source) count(number uint64, answers []answer[starknet.Felt]) (best starknet.Felt, has bool, err error) {
	votes, absent, tie := map[starknet.Felt]int{}, 0, false
	for _, a := range answers {
		switch {
		case a.err == nil:
			votes[a.value]++
		case hasCode(a.err, blockNotFound):
			absent++
		}
	}
	for hash, n := range votes {
		switch {
		case n > votes[best]:
			best, tie = hash, false
		case n == votes[best]:
			tie = true
		}
	}
	switch {
	case votes[best] >= s.quorum && !tie:
		return best, true, nil
	case votes[best] < s.quorum && absent >= s.quorum:
		return starknet.Felt{}, false, nil
	}
	return starknet.Felt{}, false, fmt.Errorf("%w: %d of %d required have the same block %d; %s",
		indexing.ErrNoQuorum, votes[best], s.quorum, number, list(answers))
}

// agreedHead returns the newest of the heads that the quorum has reached and
// agrees on. An upstream that is ahead of the others, or on a fork, does not count.
func (s Source) agreedHead(ctx context.Context, answers []answer[domain.BlockRef]) (domain.BlockRef, error) {
	var heights []uint64
	for _, a := range answers {
		if a.err == nil {
			heights = append(heights, a.value.Number)
		}
	}
	slices.SortFunc(heights, func(a, b uint64) int { return cmp.Compare(b, a) })
	var disagreement error // about the highest block
	for i := s.quorum - 1; i < len(heights); i++ {
		hash, has, err := s.agreedHash(ctx, heights[i])
		switch {
		case err == nil && has:
			return domain.BlockRef{Number: heights[i], Hash: hash}, nil
		case err != nil && !errors.Is(err, indexing.ErrNoQuorum):
			return domain.BlockRef{}, err
		}
		disagreement = cmp.Or(disagreement, err)
	}
	if disagreement == nil {
		disagreement = fmt.Errorf("%w: %d of %d required have a head; %s", indexing.ErrNoQuorum, len(heights), s.quorum, list(answers))
	}
	return domain.BlockRef{}, disagreement
}
