package tokens

import (
	"context"
	"net/http"
	"time"

	"astrolabe/domain"
	"astrolabe/domain/account"
	"astrolabe/domain/token"
	"astrolabe/rest/frame"
	"astrolabe/starknet"
)

// SupplyBody is the total supply of a token at a block.
type SupplyBody struct {
	ChainID        domain.Chain   `json:"chainId"`
	TokenAddress   starknet.Felt  `json:"tokenAddress"`
	BlockTag       string         `json:"blockTag"`
	BlockNumber    uint64         `json:"blockNumber"`
	BlockHash      *starknet.Felt `json:"blockHash"`
	TotalSupplyRaw string         `json:"totalSupplyRaw"`
}

// BalanceBody is the token balance of an address at a block.
type BalanceBody struct {
	ChainID      domain.Chain   `json:"chainId"`
	TokenAddress starknet.Felt  `json:"tokenAddress"`
	OwnerAddress starknet.Felt  `json:"ownerAddress"`
	BlockTag     string         `json:"blockTag"`
	BlockNumber  uint64         `json:"blockNumber"`
	BlockHash    *starknet.Felt `json:"blockHash"`
	BalanceRaw   string         `json:"balanceRaw"`
}

func (h Handlers) totalSupply(ctx context.Context, c *frame.Call) (any, error) {
	of := c.Felt("token")
	block, quantities, err := h.Quantities.Supplies(ctx, c.Chain, c.State(), []starknet.Felt{of})
	if err != nil {
		return nil, err
	}
	if quantities[0].Err != nil {
		return nil, h.unread(ctx, c, quantities[0])
	}
	return SupplyBody{c.Chain, of, c.Text(frame.BlockTagParam.Name), block.Number, block.Hash, quantities[0].Raw.String()}, nil
}

func (h Handlers) balanceOf(ctx context.Context, c *frame.Call) (any, error) {
	of := token.Holding{Token: c.Felt("token"), Owner: c.Felt("address")}
	block, quantities, err := h.Quantities.Balances(ctx, c.Chain, c.State(), []token.Holding{of})
	if err != nil {
		return nil, err
	}
	if quantities[0].Err != nil {
		return nil, h.unread(ctx, c, quantities[0])
	}
	return BalanceBody{c.Chain, of.Token, of.Owner, c.Text(frame.BlockTagParam.Name), block.Number, block.Hash, quantities[0].Raw.String()}, nil
}

// unread returns why a quantity could not be read. For an address without a
// contract and without an indexed token the first sentence is that of all routes
// of tokens.
func (h Handlers) unread(ctx context.Context, c *frame.Call, q token.Quantity) error {
	if !q.Absent {
		return q.Err
	}
	summaries, err := h.Tokens.Summaries(ctx, c.Chain, []starknet.Felt{c.Felt("token")})
	if err != nil || summaries[0] != nil {
		return q.Err // a token that was deployed later
	}
	unknown := h.absent(ctx, c, q.Err)
	if domain.CodeOf(unknown) != domain.CodeNotFound {
		return q.Err
	}
	return domain.Errorf(domain.CodeNotFound, "%s %s", domain.Public(ctx, unknown).Message, domain.Public(ctx, q.Err).Message)
}

// QuantityOperations are the routes of supplies and balances.
func (h Handlers) QuantityOperations() []frame.Operation {
	return []frame.Operation{
		{
			ID: "getTokenTotalSupply", Method: http.MethodGet, Path: "/v1/{chain}/token/{token}/total-supply",
			Summary: "Get the total supply of a token at one block.",
			Params:  []frame.Param{frame.ChainParam, frame.TokenParam, frame.BlockTagParam}, Permission: account.Read,
			Class: frame.Heavy, Cert: frame.Certified, Audience: frame.External, Timeout: 10 * time.Second, Cache: "no-cache",
			Success: http.StatusOK, Body: "TokenTotalSupply", Errors: []domain.Code{domain.CodeNotFound},
			Proof:  quantityProofs,
			Handle: h.totalSupply,
		},
		{
			ID: "getTokenBalance", Method: http.MethodGet, Path: "/v1/{chain}/token/{token}/balance-of/{address}",
			Summary: "Get the token balance of an address at one block.",
			Params:  []frame.Param{frame.ChainParam, frame.TokenParam, frame.AddressParam, frame.BlockTagParam}, Permission: account.Read,
			Class: frame.Heavy, Cert: frame.Certified, Audience: frame.External, Timeout: 10 * time.Second, Cache: "no-cache",
			Success: http.StatusOK, Body: "TokenBalance", Errors: []domain.Code{domain.CodeNotFound},
			Proof:  quantityProofs,
			Handle: h.balanceOf,
		},
	}
}

var quantityProofs = []string{
	"TestSupplyAndBalanceMatchTheContract", "TestLatestIsResolvedToAHashFirst", "TestPendingHasNoHash",
	"TestAFailingNodeIsNeverZero", "TestAContractWithoutTheViewIsNotFound", "TestAnUnknownBlockIsNotFound",
	"TestFinalizedResponseIsCached", "TestStateIsUnavailableWithoutANode",
}
