package node

import (
	"context"
	"encoding/json"
	"fmt"

	"astrolabe/starknet"
)

// transactionNotFound is the node's error code for an unknown transaction hash.
const transactionNotFound = 29

// KnowsTransaction implements chain.Node.
func (s Source) KnowsTransaction(ctx context.Context, hash starknet.Felt) (bool, error) {
	known, err := ask(ctx, s.pool, "starknet_getTransactionStatus", []any{hash}, func(result []byte) (bool, error) {
		var status struct {
			Finality string `json:"finality_status"`
		}
		if err := json.Unmarshal(result, &status); err != nil || status.Finality == "" {
			return false, fmt.Errorf("%w: a status without its finality", ErrInvalidAnswer)
		}
		return true, nil
	})
	if hasCode(err, transactionNotFound) {
		return false, nil
	}
	return known, judge(err)
}
