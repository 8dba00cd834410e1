package gateway

import (
	"context"
	"encoding/json"
)

// acceptedOnL1 is the finality status that never changes again.
const acceptedOnL1 = "ACCEPTED_ON_L1"

// immutable reports whether every later answer to the call will be the same.
//
// Blocks and receipts say so themselves. What depends on a block that is named
// by its number is immutable once L1 has accepted that block; a hash is not
// enough, because the block could still be replaced, and the node would then no
// longer answer.
func (r *reads) immutable(ctx context.Context, c Call, result json.RawMessage) bool {
	switch c.Method {
	case "starknet_getBlockWithTxHashes", "starknet_getBlockWithTxs", "starknet_getBlockWithReceipts":
		var block struct {
			Status string `json:"status"`
		}
		_, pinned := pinnedBlock(c)
		return pinned && json.Unmarshal(result, &block) == nil && block.Status == acceptedOnL1
	case "starknet_getTransactionReceipt":
		var receipt struct {
			Status string `json:"finality_status"`
		}
		return json.Unmarshal(result, &receipt) == nil && receipt.Status == acceptedOnL1
	case "starknet_getClass", "starknet_getClassAt", "starknet_getClassHashAt", "starknet_getStateUpdate",
		"starknet_getTransactionByBlockIdAndIndex", "starknet_getBlockTransactionCount":
		number, pinned := pinnedBlock(c)
		if !pinned || number == nil {
			return false
		}
		accepted, known := r.accepted(ctx)
		return known && *number <= accepted
	}
	return false
}

// pinnedBlock returns the block that the first parameter of a call names by its
// number, and whether it names one by number or hash instead of by tag.
func pinnedBlock(c Call) (number *uint64, pinned bool) {
	type blockID struct {
		Hash   *string `json:"block_hash"`
		Number *uint64 `json:"block_number"`
	}
	var id blockID
	if len(c.Params) > 0 && c.Params[0] == '{' {
		var named struct {
			Block blockID `json:"block_id"`
		}
		if json.Unmarshal(c.Params, &named) != nil {
			return nil, false
		}
		id = named.Block
	} else {
		var values []json.RawMessage
		if json.Unmarshal(c.Params, &values) != nil || len(values) == 0 || json.Unmarshal(values[0], &id) != nil {
			return nil, false
		}
	}
	return id.Number, (id.Hash == nil) != (id.Number == nil)
}
