package rest

import (
	"context"
	"net/http"
	"time"

	"astrolabe/domain"
	"astrolabe/domain/account"
	"astrolabe/domain/chain"
	"astrolabe/domain/token"
	"astrolabe/starknet"
)

type supplyBody struct {
	ChainID        domain.Chain   `json:"chainId"`
	TokenAddress   starknet.Felt  `json:"tokenAddress"`
	BlockTag       string         `json:"blockTag"`
	BlockNumber    uint64         `json:"blockNumber"`
	BlockHash      *starknet.Felt `json:"blockHash"`
	TotalSupplyRaw string         `json:"totalSupplyRaw"`
}

type balanceBody struct {
	ChainID      domain.Chain   `json:"chainId"`
	TokenAddress starknet.Felt  `json:"tokenAddress"`
	OwnerAddress starknet.Felt  `json:"ownerAddress"`
	BlockTag     string         `json:"blockTag"`
	BlockNumber  uint64         `json:"blockNumber"`
	BlockHash    *starknet.Felt `json:"blockHash"`
	BalanceRaw   string         `json:"balanceRaw"`
}

func (s *server) totalSupply(ctx context.Context, c *Call) (any, error) {
	of := c.Felt("token")
	block, quantities, err := s.Quantities.Supplies(ctx, c.Chain, c.state(), []starknet.Felt{of})
	if err != nil {
		return nil, err
	}
	if err := quantities[0].Err; err != nil {
		return nil, err
	}
	return supplyBody{c.Chain, of, c.Text(blockTagParam.Name), block.Number, block.Hash, quantities[0].Raw.String()}, nil
}

func (s *server) balanceOf(ctx context.Context, c *Call) (any, error) {
	of := token.Holding{Token: c.Felt("token"), Owner: c.Felt("address")}
	block, quantities, err := s.Quantities.Balances(ctx, c.Chain, c.state(), []token.Holding{of})
	if err != nil {
		return nil, err
	}
	if err := quantities[0].Err; err != nil {
		return nil, err
	}
	return balanceBody{c.Chain, of.Token, of.Owner, c.Text(blockTagParam.Name), block.Number, block.Hash, quantities[0].Raw.String()}, nil
}

// blockTagParam is the block whose state is read.
var blockTagParam = Param{
	Name: "block_tag", In: InQuery, Kind: StateKind, Default: string(chain.Latest),
	About: "The block whose state is read: a number, a hash, `latest` or `pending`. For a result that can be reproduced name a number or a hash.",
}

// state is the block whose state a request asks for.
func (c *Call) state() chain.BlockID {
	id, _ := chain.ParseBlockID(c.Text(blockTagParam.Name), chain.Latest, chain.Pending) // it was checked
	return id
}

func (s *server) quantityOperations() []Operation {
	return []Operation{
		{
			ID: "getTokenTotalSupply", Method: http.MethodGet, Path: "/v1/{chain}/token/{token}/total-supply",
			Summary: "A token's supply at a block, as its contract says",
			Params:  []Param{chainParam, tokenParam, blockTagParam}, Permission: account.Read,
			Class: Heavy, Cert: Certified, Audience: External, Budget: 10 * time.Second, Cache: "no-cache",
			Success: http.StatusOK, Body: "TokenTotalSupply", Errors: []domain.Code{domain.CodeNotFound},
			Proof:  quantityProofs,
			Handle: s.totalSupply,
		},
		{
			ID: "getTokenBalance", Method: http.MethodGet, Path: "/v1/{chain}/token/{token}/balance-of/{address}",
			Summary: "What an address holds of a token at a block, as the token's contract says",
			Params:  []Param{chainParam, tokenParam, ownerParam, blockTagParam}, Permission: account.Read,
			Class: Heavy, Cert: Certified, Audience: External, Budget: 10 * time.Second, Cache: "no-cache",
			Success: http.StatusOK, Body: "TokenBalance", Errors: []domain.Code{domain.CodeNotFound},
			Proof:  quantityProofs,
			Handle: s.balanceOf,
		},
	}
}

var quantityProofs = []string{
	"TestSupplyAndBalanceAreWhatTheContractSays", "TestLatestIsResolvedToAHashFirst", "TestPendingHasNoHash",
	"TestAFailingNodeIsNeverZero", "TestAContractWithoutTheViewIsNotFound", "TestAnUnknownBlockIsNotFound",
	"TestAFinalizedAnswerIsRemembered", "TestWithoutANodeStateIsUnavailable",
}
