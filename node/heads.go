package node

import (
	"context"
	"errors"
	"fmt"

	"astrolabe/domain"
	"astrolabe/starknet"
)

// HeadNews is one message about the tip of the chain. Exactly one of its
// fields is set.
type HeadNews struct {
	// Resumed tells that a connection was made: blocks and reorganisations
	// before it may have been missed.
	Resumed bool
	// Head is the header of a new block.
	Head *starknet.BlockHeader
	// Reorg tells that blocks left the chain.
	Reorg *Reorg
}

// Reorg names the blocks that left the chain, both ends included.
type Reorg struct {
	First, Last domain.BlockRef
}

var reorgShape = shapeOf(
	felt("starting_block_hash", func(r *Reorg) *starknet.Felt { return &r.First.Hash }),
	number("starting_block_number", func(r *Reorg) *uint64 { return &r.First.Number }),
	felt("ending_block_hash", func(r *Reorg) *starknet.Felt { return &r.Last.Hash }),
	number("ending_block_number", func(r *Reorg) *uint64 { return &r.Last.Number }),
)

// SubscribeHeads follows the tip of the chain until ctx ends.
func (p *Pool) SubscribeHeads(ctx context.Context) *Stream[HeadNews] {
	return openStream(ctx, p, "starknet_subscribeNewHeads", nil, readHeadNews)
}

func readHeadNews(n Notification) (HeadNews, error) {
	switch {
	case n.Resumed:
		return HeadNews{Resumed: true}, nil
	case n.Method == "starknet_subscriptionNewHeads":
		header, err := headerShape.decode(n.Result)
		if err == nil && header.BlockHash.IsZero() {
			err = errors.New("the head has no hash")
		}
		return HeadNews{Head: &header}, err
	case n.Method == "starknet_subscriptionReorg":
		reorg, err := reorgShape.decode(n.Result)
		if err == nil && reorg.First.Number > reorg.Last.Number {
			err = fmt.Errorf("it ends at block %d before it starts at %d", reorg.Last.Number, reorg.First.Number)
		}
		return HeadNews{Reorg: &reorg}, err
	}
	return HeadNews{}, errors.New("a notification that was not subscribed to")
}
