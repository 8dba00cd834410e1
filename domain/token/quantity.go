package token

import (
	"context"
	"errors"
	"time"

	"golang.org/x/sync/errgroup"

	"astrolabe/domain"
	"astrolabe/domain/chain"
	"astrolabe/starknet"
)

// The view functions of quantities, in both spellings, in the order in which
// they are tried.
var (
	supplySelectors  = []starknet.Felt{starknet.Selector("total_supply"), starknet.Selector("totalSupply")}
	balanceSelectors = []starknet.Felt{starknet.Selector("balance_of"), starknet.Selector("balanceOf")}
)

const (
	quantitiesAtOnce = 8               // concurrent calls of one request
	quantityPatience = 4 * time.Second // for one contract
)

// Quantity is a supply or balance. Its error is not_found if the contract has
// no such view at that block, and service_unavailable if it could not be read.
type Quantity struct {
	Raw starknet.Uint256
	Err error
	// Absent reports that the contract is not deployed at that block, and NoView
	// that it is, but has no such entry point. Neither is set when the view is
	// there and reverts, or returns something else than a number.
	Absent, NoView bool
}

// Holding is a token and an address that may hold it.
type Holding struct {
	Token, Owner starknet.Felt
}

// Quantities reads supplies and balances from contracts at any block.
type Quantities struct{ states *chain.States }

// NewQuantities makes the service.
func NewQuantities(states *chain.States) *Quantities { return &Quantities{states} }

// Supplies reads the supply of each token at the state after one block, and
// returns the block.
func (q *Quantities) Supplies(ctx context.Context, c domain.Chain, at chain.BlockID, tokens []starknet.Felt) (chain.StateBlock, []Quantity, error) {
	questions := make([]quantityView, len(tokens))
	for i, token := range tokens {
		questions[i] = quantityView{token, "total supply", supplySelectors, nil}
	}
	return q.ask(ctx, c, at, questions)
}

// Balances reads each holding at the state after one block, and returns the
// block.
func (q *Quantities) Balances(ctx context.Context, c domain.Chain, at chain.BlockID, holdings []Holding) (chain.StateBlock, []Quantity, error) {
	questions := make([]quantityView, len(holdings))
	for i, h := range holdings {
		questions[i] = quantityView{h.Token, "balance", balanceSelectors, []starknet.Felt{h.Owner}}
	}
	return q.ask(ctx, c, at, questions)
}

func (q *Quantities) ask(ctx context.Context, c domain.Chain, at chain.BlockID, questions []quantityView) (chain.StateBlock, []Quantity, error) {
	quantities := make([]Quantity, len(questions))
	block, err := q.states.Read(ctx, c, at, func(ctx context.Context, at chain.State) error {
		var group errgroup.Group
		group.SetLimit(quantitiesAtOnce)
		for i := range questions {
			group.Go(func() error {
				quantities[i] = questions[i].ask(ctx, at)
				if errors.Is(quantities[i].Err, chain.ErrBlockMoved) {
					return quantities[i].Err
				}
				return nil
			})
		}
		return group.Wait()
	})
	return block, quantities, err
}

// quantityView is a question to a token.
type quantityView struct {
	token     starknet.Felt
	what      string
	selectors []starknet.Felt
	calldata  []starknet.Felt
}

func (v quantityView) ask(ctx context.Context, at chain.State) Quantity {
	ctx, cancel := context.WithTimeout(ctx, quantityPatience)
	defer cancel()
	missing := 0
	for _, selector := range v.selectors {
		answer, err := at.Call(ctx, chain.ViewCall{Contract: v.token, Selector: selector, Calldata: v.calldata})
		if err != nil {
			return Quantity{Err: err}
		}
		if answer.NoContract {
			return Quantity{Absent: true, Err: domain.Errorf(domain.CodeNotFound, "No contract is deployed at %s at block %d.", v.token, at.Number)}
		}
		if number, ok := ReadQuantity(answer.Result); answer.Returned() && ok {
			return Quantity{Raw: number}
		}
		if answer.NoView {
			missing++
		}
	}
	return Quantity{NoView: missing == len(v.selectors), Err: domain.Errorf(domain.CodeNotFound, "Contract %s has no supported %s entry point at block %d.", v.token, v.what, at.Number)}
}

// ReadQuantity reads the number that a view returned: one felt, or the low and
// the high half of a u256, each of at most 128 bits.
func ReadQuantity(result []starknet.Felt) (starknet.Uint256, bool) {
	switch len(result) {
	case 1:
		return starknet.Uint256(result[0]), true
	case 2:
		number, err := starknet.Uint256FromHalves(result[0], result[1])
		return number, err == nil
	}
	return starknet.Uint256{}, false
}
