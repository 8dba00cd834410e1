package gateway

import (
	"context"
	"encoding/json"
	"fmt"

	"astrolabe/starknet"
)

// block is a block as far as its place in the chain is concerned.
type block struct {
	Number uint64        `json:"block_number"`
	Hash   starknet.Felt `json:"block_hash"`
	Parent starknet.Felt `json:"parent_hash"`
}

// reorg is the result of a reorg notification: the blocks that left the chain,
// both ends included.
type reorg struct {
	FirstHash   starknet.Felt `json:"starting_block_hash"`
	FirstNumber uint64        `json:"starting_block_number"`
	LastHash    starknet.Felt `json:"ending_block_hash"`
	LastNumber  uint64        `json:"ending_block_number"`
}

// reorgOf returns the notification that blocks left the chain.
func reorgOf(first, last block) Notification {
	return Notification{reorgMethod, mustEncode(reorg{first.Hash, first.Number, last.Hash, last.Number})}
}

// header is a block header as the node wrote it, with what it says of its place.
type header struct {
	block
	text json.RawMessage
}

// headerAt fetches the header of a block by {"block_number": n} or
// {"block_hash": h}: what a notification of a new head holds, without the status
// and the transactions.
func headerAt(ctx context.Context, node Node, id map[string]any) (header, error) {
	result, err := node.Forward(ctx, Call{Method: "starknet_getBlockWithTxHashes", Params: mustEncode([]any{id}), MaxAnswer: MaxAnswer})
	if err != nil {
		return header{}, err
	}
	var fields map[string]json.RawMessage
	var h header
	if json.Unmarshal(result, &fields) != nil || json.Unmarshal(result, &h.block) != nil || h.Hash.IsZero() {
		return header{}, fmt.Errorf("the node returned a block without a header for %v", id)
	}
	delete(fields, "status")
	delete(fields, "transactions")
	h.text = mustEncode(fields)
	return h, nil
}

// headNumber returns the number of the newest block.
func headNumber(ctx context.Context, node Node) (uint64, error) {
	result, err := node.Forward(ctx, Call{Method: "starknet_blockNumber", MaxAnswer: MaxAnswer})
	if err != nil {
		return 0, err
	}
	var number uint64
	return number, json.Unmarshal(result, &number)
}

func mustEncode(value any) json.RawMessage {
	text, err := json.Marshal(value)
	if err != nil {
		panic(err) // our own types encode
	}
	return text
}
