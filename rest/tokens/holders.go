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

// CensusBody is a page of a holder census. Without a certified generation the
// fields of the generation are null.
type CensusBody struct {
	frame.ListBody[HolderBody]
	TokenAddress          starknet.Felt           `json:"tokenAddress"`
	HolderCount           *int64                  `json:"holderCount"`
	HolderBalanceTotalRaw *domain.Amount          `json:"holderBalanceTotalRaw"`
	GenerationID          string                  `json:"generationId"`
	AsOfBlock             uint64                  `json:"asOfBlock"`
	AsOfBlockHash         starknet.Felt           `json:"asOfBlockHash"`
	RowDigest             *string                 `json:"rowDigest"`
	ExpiresAt             time.Time               `json:"expiresAt"`
	Completeness          token.Completeness      `json:"completeness"`
	Certification         censusCertificationBody `json:"certification"`
}

// HolderBody is a holder in the order of balances.
type HolderBody struct {
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

func renderHolder(h token.Holder) HolderBody {
	return HolderBody{Rank: h.Rank, Address: h.Address, BalanceRaw: h.Balance, LastUpdatedBlock: h.Updated}
}

func renderCensusCertification(g *token.Generation) censusCertificationBody {
	body := censusCertificationBody{Status: g.Status, CheckedAt: new(g.Checked())}
	if g.Reason != "" {
		body.ReasonCode = &g.Reason
	}
	return body
}

// holders returns a page of the newest generation, or of the generation of the
// cursor. The cursor expires with its generation.
func (h Handlers) holders(ctx context.Context, c *frame.Call) (any, error) {
	request, err := c.Page(ctx)
	if err != nil {
		return nil, err
	}
	pages, err := h.Censuses.Holders(ctx, c.Chain, []token.HolderRequest{{Token: c.Felt("token"), After: request.After}}, request.Limit)
	if err != nil {
		return nil, err
	}
	if pages[0].Err != nil {
		return nil, h.absent(ctx, c, pages[0].Err)
	}
	page, g := pages[0], pages[0].Generation
	body := CensusBody{
		ListBody: frame.RenderPage(c, domain.Page[token.Holder]{Items: page.Items}, renderHolder), TokenAddress: c.Felt("token"),
		GenerationID: g.Name(), AsOfBlock: g.Block.Number, AsOfBlockHash: g.Block.Hash, ExpiresAt: g.ExpiresAt,
		Completeness: g.Completeness(), Certification: renderCensusCertification(g),
	}
	if page.Next != nil {
		body.NextCursor = new(c.Cursor(page.Next, g.ExpiresAt))
	}
	if snapshot := g.Snapshot; snapshot != nil {
		body.HolderCount, body.HolderBalanceTotalRaw = &snapshot.Holders, &snapshot.Total
		body.RowDigest = new(snapshot.RowDigest())
	}
	return body, nil
}

// HolderScreeningBody lists the largest holders of a token.
type HolderScreeningBody struct {
	ChainID            domain.Chain            `json:"chainId"`
	TokenAddress       starknet.Felt           `json:"tokenAddress"`
	GenerationID       string                  `json:"generationId"`
	AsOfBlock          uint64                  `json:"asOfBlock"`
	PopulationComplete bool                    `json:"populationComplete"` // always false
	Certification      censusCertificationBody `json:"certification"`
	Items              []HolderBody            `json:"items"`
}

func (h Handlers) holderScreening(ctx context.Context, c *frame.Call) (any, error) {
	pages, err := h.Censuses.Screening(ctx, c.Chain, []starknet.Felt{c.Felt("token")})
	if err != nil {
		return nil, err
	}
	if pages[0].Err != nil {
		return nil, h.absent(ctx, c, pages[0].Err)
	}
	g := pages[0].Generation
	body := HolderScreeningBody{
		ChainID: c.Chain, TokenAddress: c.Felt("token"), GenerationID: g.Name(), AsOfBlock: g.Block.Number,
		Certification: renderCensusCertification(g), Items: make([]HolderBody, len(pages[0].Items)),
	}
	for i, h := range pages[0].Items {
		body.Items[i] = renderHolder(h)
	}
	return body, nil
}

// HolderAnalyticsBody is the holder concentration of a token.
type HolderAnalyticsBody struct {
	ChainID              domain.Chain     `json:"chainId"`
	TokenAddress         starknet.Felt    `json:"tokenAddress"`
	GenerationID         string           `json:"generationId"`
	AsOfBlock            uint64           `json:"asOfBlock"`
	AsOfBlockHash        starknet.Felt    `json:"asOfBlockHash"`
	RowDigest            string           `json:"rowDigest"`
	ValidatedAgainst     string           `json:"validatedAgainst"`
	Top5                 HolderShareBody  `json:"top5"`
	Top10                HolderShareBody  `json:"top10"`
	Top100               HolderShareBody  `json:"top100"`
	GiniPpm              int64            `json:"giniPpm"`
	Nakamoto50Count      *int64           `json:"nakamoto50Count"`
	HoldersAbove1Percent int64            `json:"holdersAbove1Percent"`
	TierDistribution     []holderTierBody `json:"tierDistribution"`
}

// HolderShareBody is the combined balance of a group of holders.
type HolderShareBody struct {
	BalanceRaw domain.Amount `json:"balanceRaw"`
	ShareBps   int64         `json:"shareBps"`
}

type holderTierBody struct {
	Tier        string        `json:"tier"`
	MinShareBps int64         `json:"minShareBps"`
	Count       int64         `json:"count"`
	BalanceRaw  domain.Amount `json:"balanceRaw"`
}

func renderHolderShare(share token.Share) HolderShareBody {
	return HolderShareBody{share.Balance, share.Bps}
}

func (h Handlers) holderAnalytics(ctx context.Context, c *frame.Call) (any, error) {
	censuses, err := h.Censuses.Of(ctx, c.Chain, []starknet.Felt{c.Felt("token")})
	if err != nil {
		return nil, err
	}
	g, err := censuses[0].Certified()
	if err != nil {
		return nil, h.absent(ctx, c, err)
	}
	a := g.Snapshot.Analytics
	body := HolderAnalyticsBody{
		ChainID: c.Chain, TokenAddress: c.Felt("token"), GenerationID: g.Name(), AsOfBlock: g.Block.Number,
		AsOfBlockHash: g.Block.Hash, RowDigest: g.Snapshot.RowDigest(), ValidatedAgainst: token.AnalyticsValidation,
		Top5: renderHolderShare(a.Top5), Top10: renderHolderShare(a.Top10), Top100: renderHolderShare(a.Top100),
		GiniPpm: a.GiniPpm, Nakamoto50Count: a.Nakamoto50, HoldersAbove1Percent: a.Above1Percent,
		TierDistribution: make([]holderTierBody, len(a.Tiers)),
	}
	for i, tier := range a.Tiers {
		body.TierDistribution[i] = holderTierBody{tier.Name, tier.MinShareBps, tier.Count, tier.Balance}
	}
	return body, nil
}

// HolderOperations are the routes of the holder census.
func (h Handlers) HolderOperations() []frame.Operation {
	failures := []domain.Code{domain.CodeNotFound, domain.CodeUnqualifiedToken}
	certified := []domain.Code{domain.CodeNotFound, domain.CodeUnqualifiedToken, domain.CodeCensusNotCertified}
	return []frame.Operation{
		{
			ID: "listTokenHolders", Method: http.MethodGet, Path: "/v1/{chain}/token/{token}/holders",
			Summary: "List all holders of a token at one block, largest first.",
			Params:  []frame.Param{frame.ChainParam, frame.TokenParam, frame.LimitParam(25, 100), frame.CursorParam}, Permission: account.Partner,
			Class: frame.Heavy, Cert: frame.Beta, Audience: frame.External, Timeout: 5 * time.Second, Cache: "no-cache",
			Success: http.StatusOK, Body: "HolderCensus", Errors: failures,
			Proof: []string{
				"TestHoldersListTheWholeCertifiedGeneration", "TestCursorIsBoundToItsGeneration", "TestCursorExpiresWithItsGeneration",
				"TestHoldersOfATokenInEachState", "TestCertifiedGenerationIsShownAfterAFailedAuditUntilItExpires",
			},
			Handle: h.holders,
		},
		{
			ID: "screenTokenHolders", Method: http.MethodGet, Path: "/v1/{chain}/token/{token}/holders/screening",
			Summary: "List the largest holders of a token.",
			Params:  []frame.Param{frame.ChainParam, frame.TokenParam}, Permission: account.Partner,
			Class: frame.Heavy, Cert: frame.Beta, Audience: frame.External, Timeout: 5 * time.Second, Cache: "no-cache",
			Success: http.StatusOK, Body: "HolderScreening", Errors: certified,
			Proof:  []string{"TestScreeningListsTheTopHoldersWithoutClaimingCompleteness", "TestHoldersOfATokenInEachState"},
			Handle: h.holderScreening,
		},
		{
			ID: "analyzeTokenHolders", Method: http.MethodGet, Path: "/v1/{chain}/token/{token}/holders/analytics",
			Summary: "Get holder concentration metrics of a token.",
			Params:  []frame.Param{frame.ChainParam, frame.TokenParam}, Permission: account.Partner,
			Class: frame.Heavy, Cert: frame.Beta, Audience: frame.External, Timeout: 5 * time.Second, Cache: "no-cache",
			Success: http.StatusOK, Body: "HolderAnalytics", Errors: certified,
			Proof:  []string{"TestAnalyticsCoverTheWholeGeneration", "TestHoldersOfATokenInEachState"},
			Handle: h.holderAnalytics,
		},
	}
}
