package rest

import (
	"context"
	"net/http"
	"time"

	"astrolabe/domain"
	"astrolabe/domain/account"
	"astrolabe/domain/token"
	"astrolabe/starknet"
)

// poolItem is a market where a token is traded.
type poolItem struct {
	MarketID       string           `json:"marketId"`
	MarketKind     token.MarketKind `json:"marketKind"`
	ProtocolName   string           `json:"protocolName"`
	PoolAddress    *starknet.Felt   `json:"poolAddress"`
	PairedToken    pairedToken      `json:"pairedToken"`
	FeeBps         *int             `json:"feeBps"`
	CreatedAtBlock uint64           `json:"createdAtBlock"`
	Evidence       poolEvidence     `json:"evidence"`
}

type pairedToken struct {
	Address starknet.Felt `json:"address"`
	Symbol  *string       `json:"symbol"`
}

// poolEvidence is the event that created a pool, and the pool's class.
type poolEvidence struct {
	Kind           string        `json:"kind"`
	FactoryAddress starknet.Felt `json:"factoryAddress"`
	EventName      string        `json:"eventName"`
	TxHash         starknet.Felt `json:"txHash"`
	LogIndex       int           `json:"logIndex"`
	PoolClassHash  starknet.Felt `json:"poolClassHash"`
}

// factoryEvent is the only kind of evidence for a pool.
const factoryEvent = "factory_event"

func poolBody(p token.Pool, of starknet.Felt, symbols map[starknet.Felt]string) poolItem {
	item := poolItem{
		MarketID: p.MarketID(), MarketKind: p.Factory.Kind, ProtocolName: p.Factory.Name, PoolAddress: &p.Address,
		PairedToken: pairedToken{Address: p.Paired(of)}, FeeBps: p.FeeBps, CreatedAtBlock: p.Block,
		Evidence: poolEvidence{factoryEvent, p.Factory.Address, p.Factory.Event, p.TxHash, p.Log, *p.Class},
	}
	if symbol, known := symbols[item.PairedToken.Address]; known {
		item.PairedToken.Symbol = &symbol
	}
	return item
}

// poolPage is a page of a token's pools.
type poolPage struct {
	coveredList[poolItem]
	TokenAddress starknet.Felt `json:"tokenAddress"`
}

func (s *server) pools(ctx context.Context, c *Call) (any, error) {
	page, err := s.page(ctx, c)
	if err != nil {
		return nil, err
	}
	of := c.Felt("token")
	list, err := s.Pools.At(ctx, c.Chain, of, page)
	if err != nil {
		return nil, err
	}
	items := paged(s, c, list.Page, func(p token.Pool) poolItem { return poolBody(p, of, list.Symbols) })
	return poolPage{coveredList[poolItem]{items, wireCoverage(list.Coverage)}, of}, nil
}

func (s *server) poolOperations() []Operation {
	return []Operation{
		{
			ID: "listTokenPools", Method: http.MethodGet, Path: "/v1/{chain}/token/{token}/markets/pools",
			Summary: "Pools where a token is traded, newest first",
			Params:  []Param{chainParam, tokenParam, limitParam(25, 100), cursorParam}, Permission: account.Partner,
			Class: Heavy, Cert: Beta, Audience: External, Budget: 5 * time.Second, Cache: "no-cache",
			Success: http.StatusOK, Body: "TokenPoolPage", Errors: []domain.Code{domain.CodeNotFound},
			Proof: []string{
				"TestPoolsAreThoseThatKnownFactoriesCreated", "TestAPoolOfAnUnknownClassIsLeftOut",
				"TestReadTierKeysDoNotSeePools",
			},
			Handle: s.pools,
		},
	}
}
