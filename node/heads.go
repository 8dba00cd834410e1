package node

import (
	"context"
	"errors"

	"astrolabe/node/wire"
	"astrolabe/starknet"
)

// HeadNews is one message about the head of the chain. Exactly one field is
// set.
type HeadNews struct {
	// Resumed means that a new connection was made: earlier blocks and reorgs
	// may have been missed.
	Resumed bool
	// Head is the header of a new block.
	Head *starknet.BlockHeader
	// Reorg means that blocks left the chain.
	Reorg *wire.Reorg
}

// SubscribeHeads follows the head of the chain until ctx ends.
func (p *Pool) SubscribeHeads(ctx context.Context) *Stream[HeadNews] {
	return openStream(ctx, p, "starknet_subscribeNewHeads", nil, readHeadNews)
}

func readHeadNews(n Notification) (HeadNews, error) {
	switch {
	case n.Resumed:
		return HeadNews{Resumed: true}, nil
	case n.Method == "starknet_subscriptionNewHeads":
		header, err := wire.DecodeHeader(n.Result)
		return HeadNews{Head: &header}, err
	case n.Method == "starknet_subscriptionReorg":
		reorg, err := wire.DecodeReorg(n.Result)
		return HeadNews{Reorg: &reorg}, err
	}
	return HeadNews{}, errors.New("unexpected notification")
}
