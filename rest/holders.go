package rest

import (
	"context"
	"encoding/hex"
	"net/http"
	"time"

	"astrolabe/domain"
	"astrolabe/domain/account"
	"astrolabe/domain/token"
	"astrolabe/starknet"
)

// censusBody is a page of a holder census. What only a certified generation
// has is null without one.
type censusBody struct {
	listBody[holderBody]
	TokenAddress          starknet.Felt           `json:"tokenAddress"`
	HolderCount           *int64                  `json:"holderCount"`
	HolderBalanceTotalRaw *domain.Amount          `json:"holderBalanceTotalRaw"`
	GenerationID          string                  `json:"generationId"`
	AsOfBlock             uint64                  `json:"asOfBlock"`
	AsOfBlockHash         starknet.Felt           `json:"asOfBlockHash"`
	RowDigest             *string                 `json:"rowDigest"`
	ExpiresAt             time.Time               `json:"expiresAt"`
	Completeness          string                  `json:"completeness"`
	Certification         censusCertificationBody `json:"certification"`
}

type holderBody struct {
	Rank             int64         `json:"rank"`
	Address          starknet.Felt `json:"address"`
	BalanceRaw       domain.Amount `json:"balanceRaw"`
	LastUpdatedBlock uint64        `json:"lastUpdatedBlock"`
}

type censusCertificationBody struct {
	Status     token.CensusStatus `json:"status"`
	CheckedAt  *time.Time         `json:"checkedAt"`
	ReasonCode *string            `json:"reasonCode"`
}

func renderHolder(h token.Holder) holderBody {
	return holderBody{Rank: h.Rank, Address: h.Address, BalanceRaw: h.Balance, LastUpdatedBlock: h.Updated}
}

func renderCensusCertification(g *token.Generation) censusCertificationBody {
	body := censusCertificationBody{Status: g.Status, CheckedAt: new(g.CheckedAt.Truncate(time.Second))}
	if g.Reason != "" {
		body.ReasonCode = &g.Reason
	}
	return body
}

// holders answers a page of the newest census, or of the generation that the
// cursor belongs to. The cursor ends with its generation.
func (s *server) holders(ctx context.Context, c *Call) (any, error) {
	request, err := s.page(ctx, c)
	if err != nil {
		return nil, err
	}
	pages, err := s.Censuses.Holders(ctx, c.Chain, []token.HolderRequest{{Token: c.Felt("token"), After: request.After}}, request.Limit)
	if err != nil {
		return nil, err
	}
	if pages[0].Err != nil {
		return nil, pages[0].Err
	}
	page, g := pages[0], pages[0].Generation
	body := censusBody{
		listBody: paged(s, c, domain.Page[token.Holder]{Items: page.Items}, renderHolder), TokenAddress: c.Felt("token"),
		GenerationID: g.Name(), AsOfBlock: g.Block.Number, AsOfBlockHash: g.Block.Hash, ExpiresAt: g.ExpiresAt,
		Completeness: "truncated", Certification: renderCensusCertification(g),
	}
	if page.Next != nil {
		body.NextCursor = new(s.Cursors.Encode(c.list(), page.Next, g.ExpiresAt))
	}
	if snapshot := g.Snapshot; snapshot != nil {
		body.HolderCount, body.HolderBalanceTotalRaw = &snapshot.Holders, &snapshot.Total
		body.RowDigest, body.Completeness = new("sha256:"+hex.EncodeToString(snapshot.Digest[:])), "exact"
	}
	return body, nil
}

type holderScreeningBody struct {
	ChainID            domain.Chain            `json:"chainId"`
	TokenAddress       starknet.Felt           `json:"tokenAddress"`
	GenerationID       string                  `json:"generationId"`
	AsOfBlock          uint64                  `json:"asOfBlock"`
	PopulationComplete bool                    `json:"populationComplete"` // never a claim
	Certification      censusCertificationBody `json:"certification"`
	Items              []holderBody            `json:"items"`
}

func (s *server) holderScreening(ctx context.Context, c *Call) (any, error) {
	pages, err := s.Censuses.Screening(ctx, c.Chain, []starknet.Felt{c.Felt("token")})
	if err != nil {
		return nil, err
	}
	if pages[0].Err != nil {
		return nil, pages[0].Err
	}
	g := pages[0].Generation
	body := holderScreeningBody{
		ChainID: c.Chain, TokenAddress: c.Felt("token"), GenerationID: g.Name(), AsOfBlock: g.Block.Number,
		Certification: renderCensusCertification(g), Items: make([]holderBody, len(pages[0].Items)),
	}
	for i, h := range pages[0].Items {
		body.Items[i] = renderHolder(h)
	}
	return body, nil
}

type holderAnalyticsBody struct {
	ChainID              domain.Chain     `json:"chainId"`
	TokenAddress         starknet.Felt    `json:"tokenAddress"`
	GenerationID         string           `json:"generationId"`
	AsOfBlock            uint64           `json:"asOfBlock"`
	ValidatedAgainst     string           `json:"validatedAgainst"`
	Top5                 holderShareBody  `json:"top5"`
	Top10                holderShareBody  `json:"top10"`
	Top100               holderShareBody  `json:"top100"`
	GiniPpm              int64            `json:"giniPpm"`
	Nakamoto50Count      *int64           `json:"nakamoto50Count"`
	HoldersAbove1Percent int64            `json:"holdersAbove1Percent"`
	TierDistribution     []holderTierBody `json:"tierDistribution"`
}

type holderShareBody struct {
	BalanceRaw domain.Amount `json:"balanceRaw"`
	ShareBps   int64         `json:"shareBps"`
}

type holderTierBody struct {
	Tier        string        `json:"tier"`
	MinShareBps int64         `json:"minShareBps"`
	Count       int64         `json:"count"`
	BalanceRaw  domain.Amount `json:"balanceRaw"`
}

func renderHolderShare(share token.Share) holderShareBody {
	return holderShareBody{share.Balance, share.Bps}
}

func (s *server) holderAnalytics(ctx context.Context, c *Call) (any, error) {
	censuses, err := s.Censuses.Of(ctx, c.Chain, []starknet.Felt{c.Felt("token")})
	if err != nil {
		return nil, err
	}
	a, err := censuses[0].Analytics()
	if err != nil {
		return nil, err
	}
	g := censuses[0].Generation
	body := holderAnalyticsBody{
		ChainID: c.Chain, TokenAddress: c.Felt("token"), GenerationID: g.Name(), AsOfBlock: g.Block.Number,
		ValidatedAgainst: "total_supply_at_block",
		Top5:             renderHolderShare(a.Top5), Top10: renderHolderShare(a.Top10), Top100: renderHolderShare(a.Top100),
		GiniPpm: a.GiniPpm, Nakamoto50Count: a.Nakamoto50, HoldersAbove1Percent: a.Above1Percent,
		TierDistribution: make([]holderTierBody, len(a.Tiers)),
	}
	for i, tier := range a.Tiers {
		body.TierDistribution[i] = holderTierBody{tier.Name, tier.MinShareBps, tier.Count, tier.Balance}
	}
	return body, nil
}

func (s *server) holderOperations() []Operation {
	contract := Param{
		Name: "token", In: InPath, Kind: FeltKind, Required: true, About: "The token's contract address.",
		Example: "0x4718f5a0fc34cc1af16a1cdee98ffb20c31f5cd61d6ab07201858f4287c938d",
	}
	failures := []domain.Code{domain.CodeNotFound, domain.CodeUnqualifiedToken}
	return []Operation{
		{
			ID: "listTokenHolders", Method: http.MethodGet, Path: "/v1/{chain}/token/{token}/holders",
			Summary: "Everybody who held a token at a block, the largest first",
			Params:  []Param{chainParam, contract, limitParam(25, 100), cursorParam}, Permission: account.Partner,
			Class: Heavy, Cert: Beta, Audience: External, Budget: 5 * time.Second, Cache: "no-cache",
			Success: http.StatusOK, Body: "HolderCensus", Errors: failures,
			Proof: []string{
				"TestHoldersAreAllOfACertifiedGeneration", "TestACursorStaysWithItsGeneration", "TestACursorEndsWithItsGeneration",
				"TestHoldersOfATokenInEachState", "TestAFailedAuditShowsTheCertifiedGenerationUntilItExpires",
			},
			Handle: s.holders,
		},
		{
			ID: "screenTokenHolders", Method: http.MethodGet, Path: "/v1/{chain}/token/{token}/holders/screening",
			Summary: "The largest holders of a token",
			Params:  []Param{chainParam, contract}, Permission: account.Partner,
			Class: Heavy, Cert: Beta, Audience: External, Budget: 5 * time.Second, Cache: "no-cache",
			Success: http.StatusOK, Body: "HolderScreening", Errors: failures,
			Proof:  []string{"TestScreeningIsTheTopAndNoClaimOfCompleteness", "TestHoldersOfATokenInEachState"},
			Handle: s.holderScreening,
		},
		{
			ID: "analyzeTokenHolders", Method: http.MethodGet, Path: "/v1/{chain}/token/{token}/holders/analytics",
			Summary: "How a token is spread over its holders",
			Params:  []Param{chainParam, contract}, Permission: account.Partner,
			Class: Heavy, Cert: Beta, Audience: External, Budget: 5 * time.Second, Cache: "no-cache",
			Success: http.StatusOK, Body: "HolderAnalytics", Errors: failures,
			Proof:  []string{"TestAnalyticsAreOfTheWholeGeneration", "TestHoldersOfATokenInEachState"},
			Handle: s.holderAnalytics,
		},
	}
}
