package gateway

import (
	"context"
	"encoding/json"
	"slices"
)

// acceptedOnL1 is the finality status that never changes again.
const acceptedOnL1 = "ACCEPTED_ON_L1"

// immutable reports whether every later answer to the call will be the same.
//
// Blocks and receipts say so themselves. What depends on a block that is named
// by its number is immutable once L1 has accepted that block; a hash is not
// enough, because the block could still be replaced, and the node would then no
// longer answer.
func (r *reads) immutable(ctx context.Context, c Call, block blockRef, result json.RawMessage) bool {
	switch c.Method {
	case "starknet_getBlockWithTxHashes", "starknet_getBlockWithTxs", "starknet_getBlockWithReceipts":
		var header struct {
			Status string `json:"status"`
		}
		return block.pinned() && json.Unmarshal(result, &header) == nil && header.Status == acceptedOnL1
	case "starknet_getTransactionReceipt":
		var receipt struct {
			Status string `json:"finality_status"`
		}
		return json.Unmarshal(result, &receipt) == nil && receipt.Status == acceptedOnL1
	case "starknet_getClass", "starknet_getClassAt", "starknet_getClassHashAt", "starknet_getStateUpdate",
		"starknet_getTransactionByBlockIdAndIndex", "starknet_getBlockTransactionCount":
		if !block.pinned() || block.Number == nil {
			return false
		}
		accepted, known := r.accepted(ctx)
		return known && *block.Number <= accepted
	}
	return false
}

// blockRef is how a call names the block that it is about.
type blockRef struct {
	Hash   *string `json:"block_hash"`
	Number *uint64 `json:"block_number"`
}

// pinned reports whether the block is named by its hash or its number, so that
// it stays the same while the chain grows.
func (b blockRef) pinned() bool { return (b.Hash == nil) != (b.Number == nil) }

// blockOf returns the block that the params of a method name. It is not pinned
// if they name none, or a tag.
func blockOf(m Method, params json.RawMessage) (b blockRef) {
	at := slices.IndexFunc(m.Params, func(p Param) bool { return p.Name == blockID.Name })
	if at < 0 || len(params) == 0 {
		return blockRef{}
	}
	var id json.RawMessage
	if params[0] == '{' {
		var named struct {
			Block json.RawMessage `json:"block_id"`
		}
		if json.Unmarshal(params, &named) != nil {
			return blockRef{}
		}
		id = named.Block
	} else {
		var values []json.RawMessage
		if json.Unmarshal(params, &values) != nil || len(values) <= at {
			return blockRef{}
		}
		id = values[at]
	}
	if json.Unmarshal(id, &b) != nil { // a tag
		return blockRef{}
	}
	return b
}
