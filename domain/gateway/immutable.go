package gateway

import (
	"context"
	"encoding/json"

	"astrolabe/strictjson"
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
		return block.pinned() && strictjson.Decode(result, &header, strictjson.AllowUnknownKeys()) == nil && header.Status == acceptedOnL1
	case "starknet_getTransactionReceipt":
		var receipt struct {
			Status string `json:"finality_status"`
		}
		return strictjson.Decode(result, &receipt, strictjson.AllowUnknownKeys()) == nil && receipt.Status == acceptedOnL1
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
