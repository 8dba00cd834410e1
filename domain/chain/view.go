package chain

import (
	"context"
	"errors"
	"strconv"

	"golang.org/x/sync/errgroup"

	"astrolabe/domain"
	"astrolabe/starknet"
)

// Viewed is the result of a view call or its error. Err is not_found if there
// is no such contract or entry point at the block, contract_call_failed if the
// call reverts, and contract_result_too_large if it returns more than MaxResult.
type Viewed struct {
	Result []starknet.Felt
	Err    error
}

// viewsAtOnce is how many views of one request are called at once.
const viewsAtOnce = 8

// Views calls view functions at the state after a block, and returns the block
// with the results. An unknown block is not_found.
func (s *States) Views(ctx context.Context, c domain.Chain, id BlockID, calls []ViewCall) (StateBlock, []Viewed, error) {
	viewed := make([]Viewed, len(calls))
	block, err := s.Read(ctx, c, id, func(ctx context.Context, at State) error {
		var group errgroup.Group
		group.SetLimit(viewsAtOnce)
		for i, call := range calls {
			group.Go(func() error {
				answer, err := at.Call(ctx, call)
				viewed[i] = Viewed{answer.Result, err}
				if err == nil {
					viewed[i].Err = answer.failure(call, at.Number)
				}
				if errors.Is(err, ErrBlockMoved) {
					return err
				}
				return nil
			})
		}
		return group.Wait()
	})
	return block, viewed, err
}

// View calls one view.
func (s *States) View(ctx context.Context, c domain.Chain, id BlockID, call ViewCall) (StateBlock, []starknet.Felt, error) {
	block, viewed, err := s.Views(ctx, c, id, []ViewCall{call})
	if err == nil {
		err = viewed[0].Err
	}
	return block, viewed[0].Result, err
}

// failure returns the error of a call without a result, else nil.
func (a Answer) failure(call ViewCall, block uint64) error {
	switch {
	case a.NoContract:
		return domain.Errorf(domain.CodeNotFound, "No contract is deployed at %s at block %d.", call.Contract, block)
	case a.NoView:
		return domain.Errorf(domain.CodeNotFound, "Contract %s has no entry point %s at block %d.", call.Contract, call.Selector, block)
	case a.TooLarge:
		return domain.Errorf(domain.CodeContractResultTooLarge, "The result of contract %s, entry point %s, at block %d exceeds the limit of %d bytes.", call.Contract, call.Selector, block, MaxResult)
	case a.Reverted && a.Reason == "":
		return domain.Errorf(domain.CodeContractCallFailed, "The call of contract %s, entry point %s, reverted at block %d. The upstream node gave no reason.", call.Contract, call.Selector, block)
	case a.Reverted:
		return domain.Errorf(domain.CodeContractCallFailed, "The call of contract %s, entry point %s, reverted at block %d: %s.", call.Contract, call.Selector, block, strconv.Quote(a.Reason))
	}
	return nil
}
