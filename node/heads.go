package node

import (
	"context"
	"encoding/json"
	"errors"

	"astrolabe/node/wire"
	"astrolabe/starknet"
)

// reorgMethod is the notification of blocks that left the chain.
const reorgMethod = "starknet_subscriptionReorg"

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
	case n.Method == reorgMethod:
		reorg, err := wire.DecodeReorg(n.Result)
		return HeadNews{Reorg: &reorg}, err
	}
	return HeadNews{}, errors.New("unexpected notification")
}

// notifiedHead returns the head that a header, an event or a receipt in a
// notification shows: its block or, if that is not accepted yet, the one before.
func notifiedHead(result json.RawMessage) (head uint64, ok bool) {
	var place struct {
		Number   *uint64       `json:"block_number"`
		Hash     starknet.Felt `json:"block_hash"`
		Finality string        `json:"finality_status"`
	}
	switch err := json.Unmarshal(result, &place); {
	case err != nil || place.Number == nil:
		return 0, false
	case place.Hash.IsZero() || place.Finality == "PRE_CONFIRMED":
		return max(*place.Number, 1) - 1, true
	}
	return *place.Number, true
}
