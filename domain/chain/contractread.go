package chain

import (
	"context"

	"astrolabe/domain"
	"astrolabe/starknet"
)

// View calls a contract's view on the state after the block that an id names,
// and returns that block with the result. It is not_found when there is no such
// block, contract or entry point, and contract_call_failed when the contract
// fails in it.
func (s *States) View(ctx context.Context, c domain.Chain, id BlockID, call ViewCall) (StateBlock, []starknet.Felt, error) {
	var answer Answer
	block, err := s.Read(ctx, c, id, func(ctx context.Context, at State) (err error) {
		answer, err = at.Call(ctx, call)
		return err
	})
	switch {
	case err != nil:
	case answer.NoContract:
		err = domain.Errorf(domain.CodeNotFound, "there is no contract at %s at block %d", call.Contract, block.Number)
	case answer.NoView:
		err = domain.Errorf(domain.CodeNotFound, "the contract at %s has no entry point %s at block %d", call.Contract, call.Selector, block.Number)
	case answer.Failed:
		err = domain.Errorf(domain.CodeContractCallFailed, "the contract at %s failed in %s at block %d, or returned too much", call.Contract, call.Selector, block.Number)
	}
	return block, answer.Result, err
}
