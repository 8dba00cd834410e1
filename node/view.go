package node

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"astrolabe/domain/chain"
	"astrolabe/node/wire"
	"astrolabe/starknet"
)

// Error codes of the node that are a result of the contract.
const (
	entrypointNotFound = 21
	contractError      = 40
	// transactionNotFound is not a result of a contract, but of asking for an
	// unknown hash.
	transactionNotFound = 29
)

var _ chain.Node = Source{}

// Find implements chain.Node.
func (s Source) Find(ctx context.Context, id chain.BlockID) (chain.StateBlock, bool, error) {
	if id.Tag == chain.Pending {
		number, err := s.pool.PreConfirmedNumber(ctx)
		if hasCode(err, blockNotFound) {
			return chain.StateBlock{}, false, nil
		}
		return chain.StateBlock{Number: number}, err == nil, judge(err)
	}
	block, err := s.pool.Block(ctx, named(id))
	if hasCode(err, blockNotFound) {
		return chain.StateBlock{}, false, nil
	}
	return chain.StateBlock{Number: block.BlockNumber, Hash: &block.BlockHash, Finality: chain.FinalityStatus(block.Status)}, err == nil, judge(err)
}

// named returns the id of a sealed block as the node expects it.
func named(id chain.BlockID) BlockID {
	switch {
	case id.Hash != nil:
		return AtHash(*id.Hash)
	case id.Number != nil:
		return AtNumber(*id.Number)
	}
	return map[chain.BlockTag]BlockID{chain.Latest: Latest, chain.L1Accepted: L1Accepted}[id.Tag]
}

// Call implements chain.Node.
func (s Source) Call(ctx context.Context, at chain.StateBlock, call chain.ViewCall) (answer chain.Answer, err error) {
	const method = "starknet_call"
	block := PreConfirmed
	if at.Hash != nil {
		block = AtHash(*at.Hash)
	}
	calldata := call.Calldata
	if calldata == nil {
		calldata = []starknet.Felt{}
	}
	request := map[string]any{"contract_address": call.Contract, "entry_point_selector": call.Selector, "calldata": calldata}
	params, err := json.Marshal([]any{request, block})
	if err != nil {
		return answer, fmt.Errorf("node: %s: %w", method, err)
	}
	_, err = s.pool.call(ctx, query{method: method, params: params, near: at.Hash == nil, maxSize: chain.MaxResult, accept: func(text json.RawMessage) (err error) {
		answer.Result, err = wire.DecodeFelts(text)
		return err
	}})
	switch {
	case err == nil:
		return answer, nil
	case hasCode(err, contractNotFound):
		return chain.Answer{NoContract: true}, nil
	case hasCode(err, blockNotFound):
		return chain.Answer{NoBlock: true}, nil
	case hasCode(err, entrypointNotFound):
		return chain.Answer{NoView: true}, nil
	case hasCode(err, contractError):
		return chain.Answer{Reverted: true, Reason: revertReason(err)}, nil
	case errors.Is(err, ErrTooLarge):
		return chain.Answer{TooLarge: true}, nil
	}
	return chain.Answer{}, judge(fmt.Errorf("%s: %w", method, err))
}

// maxReason limits the reason of a revert in bytes: contracts decide on it.
const maxReason = 256

// revertReason returns why a contract reverted: the text of the error's data, or
// the innermost one where the data names the calls that led to it. It is empty
// where the node gives none.
func revertReason(err error) string {
	answer, ok := errors.AsType[*RPCError](err)
	var data struct {
		Revert json.RawMessage `json:"revert_error"`
	}
	if !ok || json.Unmarshal(answer.Data, &data) != nil {
		return ""
	}
	for inner := data.Revert; ; {
		var text string
		if json.Unmarshal(inner, &text) == nil {
			return wire.Clip(text, maxReason)
		}
		var call struct {
			Error json.RawMessage `json:"error"`
		}
		if json.Unmarshal(inner, &call) != nil || call.Error == nil {
			return ""
		}
		inner = call.Error
	}
}

// View calls a view without calldata, of a contract that is known to exist, on
// the state after the block with hash at. It returns false if the contract has
// no such view, reverts or returns too much.
func (s Source) View(ctx context.Context, at, contract, selector starknet.Felt) (result []starknet.Felt, answered bool, err error) {
	answer, err := s.Call(ctx, chain.StateBlock{Hash: &at}, chain.ViewCall{Contract: contract, Selector: selector})
	switch {
	case err != nil:
		return nil, false, err
	case answer.NoBlock:
		return nil, false, fmt.Errorf("%w: it has no block %s", chain.ErrNodeUnavailable, at)
	case answer.NoContract:
		return nil, false, fmt.Errorf("%w: it has no contract %s", chain.ErrNodeUnavailable, contract)
	}
	return answer.Result, answer.Returned(), nil
}

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
