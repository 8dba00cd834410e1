package graph

import (
	"context"
	"fmt"

	"astrolabe/domain"
	"astrolabe/domain/chain"
	"astrolabe/domain/token"
	"astrolabe/starknet"
)

// TokenSupply is a token's supply at a block.
type TokenSupply struct {
	stateAt
	TotalSupplyRaw domain.Amount
}

// TokenBalance is what an address holds of a token at a block.
type TokenBalance struct {
	OwnerAddress starknet.Felt
	stateAt
	BalanceRaw domain.Amount
}

// TotalSupply asks the token for its supply.
func (t *Token) TotalSupply(ctx context.Context, blockTag string) (*TokenSupply, error) {
	at, raw, err := t.quantity(ctx, edge{"Token.totalSupply", blockTag}, blockTag, func(ctx context.Context, id chain.BlockID, tokens []starknet.Felt) (chain.StateBlock, []token.Quantity, error) {
		return t.h.Quantities.Supplies(ctx, t.chain, id, tokens)
	})
	if err != nil {
		return nil, err
	}
	return &TokenSupply{at, raw}, nil
}

// BalanceOf asks the token what an address holds of it.
func (t *Token) BalanceOf(ctx context.Context, address starknet.Felt, blockTag string) (*TokenBalance, error) {
	at, raw, err := t.quantity(ctx, edge{"Token.balanceOf", fmt.Sprint(address, blockTag)}, blockTag, func(ctx context.Context, id chain.BlockID, tokens []starknet.Felt) (chain.StateBlock, []token.Quantity, error) {
		return t.h.Quantities.Balances(ctx, t.chain, id, convert(tokens, func(of starknet.Felt) token.Holding { return token.Holding{Token: of, Owner: address} }))
	})
	if err != nil {
		return nil, err
	}
	return &TokenBalance{address, at, raw}, nil
}

// told by a token, and at which block.
type toldQuantity struct {
	stateAt
	token.Quantity
}

// quantity asks all tokens that were read together the same question.
func (t *Token) quantity(ctx context.Context, question edge, blockTag string,
	ask func(context.Context, chain.BlockID, []starknet.Felt) (chain.StateBlock, []token.Quantity, error)) (stateAt, domain.Amount, error) {
	id, err := stateBlock(blockTag)
	if err != nil {
		return stateAt{}, domain.Amount{}, err
	}
	answer, err := load(ctx, t.peers, question, t, func(ctx context.Context, tokens []*Token) ([]toldQuantity, error) {
		if err := checkAsked(len(tokens)); err != nil {
			return nil, err
		}
		block, quantities, err := ask(ctx, id, convert(tokens, (*Token).TokenAddress))
		return convert(quantities, func(q token.Quantity) toldQuantity {
			return toldQuantity{stateAt{blockTag, block.Number, block.Hash}, q}
		}), err
	})
	if err == nil {
		err = answer.Err
	}
	return answer.stateAt, domain.AmountFromBig(answer.Raw.Big()), err
}
