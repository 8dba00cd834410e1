package node

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"astrolabe/starknet"
)

// The node's error codes that are an answer of the contract itself.
const (
	entrypointNotFound = 21
	contractError      = 40
)

// maxView is the largest answer of a view that is read, in bytes: contracts
// decide how long theirs are, and many are asked at once.
const maxView = 256 << 10

// View calls a contract's view without calldata on the state after a block,
// whose hash is at. It answers false when the contract has no such view, fails
// in it or returns more than anybody could want.
func (s Source) View(ctx context.Context, at, contract, selector starknet.Felt) (result []starknet.Felt, answered bool, err error) {
	const method = "starknet_call"
	call := map[string]any{"contract_address": contract, "entry_point_selector": selector, "calldata": []starknet.Felt{}}
	params, err := json.Marshal([]any{call, AtHash(at)})
	if err != nil {
		return nil, false, fmt.Errorf("node: %s: %w", method, err)
	}
	_, err = s.pool.call(ctx, query{method: method, params: params, maxSize: maxView, accept: func(text json.RawMessage) (err error) {
		result, err = decode(text, (*scanner).felts)
		return err
	}})
	switch {
	case err == nil:
		return result, true, nil
	case hasCode(err, entrypointNotFound), hasCode(err, contractError), errors.Is(err, ErrTooLarge):
		return nil, false, nil
	}
	return nil, false, judge(fmt.Errorf("%s: %w", method, err))
}
