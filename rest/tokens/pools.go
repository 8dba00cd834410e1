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

// PoolItem is a liquidity pool of a token.
type PoolItem struct {
	MarketID       string           `json:"marketId"`
	MarketKind     token.MarketKind `json:"marketKind"`
	ProtocolName   string           `json:"protocolName"`
	PoolAddress    *starknet.Felt   `json:"poolAddress"`
	PairedToken    pairedToken      `json:"pairedToken"`
	FeeBps         *int             `json:"feeBps"`
	CreatedAtBlock uint64           `json:"createdAtBlock"`
	Evidence       PoolEvidence     `json:"evidence"`
}

type pairedToken struct {
	Address starknet.Felt `json:"address"`
	Symbol  *string       `json:"symbol"`
}

// PoolEvidence is the event that created a pool, and the pool's class.
type PoolEvidence struct {
	Kind           string        `json:"kind"`
	FactoryAddress starknet.Felt `json:"factoryAddress"`
	EventName      string        `json:"eventName"`
	TxHash         starknet.Felt `json:"txHash"`
	LogIndex       int           `json:"logIndex"`
	PoolClassHash  starknet.Felt `json:"poolClassHash"`
}

func poolBody(p token.Pool, of starknet.Felt, list *token.PoolList) PoolItem {
	paired, evidence := p.Paired(of), p.Evidence()
	return PoolItem{
		MarketID: p.MarketID(), MarketKind: p.Factory.Kind, ProtocolName: p.Factory.Name, PoolAddress: &p.Address,
		PairedToken: pairedToken{paired, list.Symbol(paired)}, FeeBps: p.FeeBps, CreatedAtBlock: p.Block,
		Evidence: PoolEvidence{evidence.Kind, evidence.Factory, evidence.Event, evidence.TxHash, evidence.Log, evidence.Class},
	}
}

// PoolPage is a page of a token's pools.
type PoolPage struct {
	frame.CoveredListBody[PoolItem]
	TokenAddress starknet.Felt `json:"tokenAddress"`
}

func (h Handlers) pools(ctx context.Context, c *frame.Call) (any, error) {
	page, err := c.Page(ctx)
	if err != nil {
		return nil, err
	}
	of := c.Felt("token")
	list, err := h.Pools.At(ctx, c.Chain, of, page)
	if err != nil {
		return nil, h.absent(ctx, c, err)
	}
	items := frame.RenderCoveredPage(c, list.Page, list.Coverage, func(p token.Pool) PoolItem { return poolBody(p, of, list) })
	return PoolPage{items, of}, nil
}

// PoolOperations are the routes of pools.
func (h Handlers) PoolOperations() []frame.Operation {
	return []frame.Operation{
		{
			ID: "listTokenPools", Method: http.MethodGet, Path: "/v1/{chain}/token/{token}/markets/pools",
			Summary: "List the liquidity pools of a token, newest first.",
			Params:  []frame.Param{frame.ChainParam, frame.TokenParam, frame.LimitParam(25, 100), frame.CursorParam}, Permission: account.Partner,
			Class: frame.Heavy, Cert: frame.Beta, Audience: frame.External, Timeout: 5 * time.Second, Cache: "no-cache",
			Success: http.StatusOK, Body: "TokenPoolPage", Errors: []domain.Code{domain.CodeNotFound},
			Proof: []string{
				"TestPoolsListWhatKnownFactoriesCreated", "TestPoolOfAnUnknownClassIsOmitted",
				"TestPoolsNeedThePartnerPermission",
			},
			Handle: h.pools,
		},
	}
}
