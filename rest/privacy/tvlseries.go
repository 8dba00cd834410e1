package privacy

import (
	"context"
	"time"

	"astrolabe/domain/privacy"
	"astrolabe/rest/frame"
	"astrolabe/starknet"
)

// TVLPage is a page of hourly points: part 2.2 of the contract.
type TVLPage struct {
	PageBody[TVLPoint]
	Granularity privacy.Width `json:"granularity"`
	Order       string        `json:"order"`
	From        time.Time     `json:"from"`
	To          time.Time     `json:"to"`
	Limit       int           `json:"limit"`
	Caveat      string        `json:"caveat"`
}

// TVLPoint is the ledger at the end of an hour.
type TVLPoint struct {
	Timestamp               time.Time            `json:"timestamp"`
	AccountingMethod        string               `json:"accountingMethod"`
	AsOf                    PointAsOf            `json:"asOf"`
	Status                  privacy.LedgerStatus `json:"status"`
	ReasonCode              privacy.LedgerReason `json:"reasonCode"`
	MissingAmountEventCount uint64               `json:"missingAmountEventCount"`
	PoolContractCount       uint64               `json:"poolContractCount"`
	TokenCount              uint64               `json:"tokenCount"`
	Assets                  []PointAsset         `json:"assets"`
}

// PointAsOf is the last block before the end of an hour.
type PointAsOf struct {
	BlockNumber       uint64        `json:"blockNumber"`
	BlockHash         starknet.Felt `json:"blockHash"`
	BlockTimestamp    time.Time     `json:"blockTimestamp"`
	MaterializedAt    time.Time     `json:"materializedAt"`
	LatestEventCursor *string       `json:"latestEventCursor"`
}

// PointAsset is a token of a point.
type PointAsset struct {
	Token TokenAddress `json:"token"`
	FlowBody
}

// TokenAddress is a token by its address alone: points do not change, the
// metadata of tokens does.
type TokenAddress struct {
	Address starknet.Felt `json:"address"`
}

func tvlPoint(p privacy.Point) TVLPoint {
	return TVLPoint{
		Timestamp: time.Unix(p.Hour, 0).UTC(), AccountingMethod: privacy.AccountingMethod,
		AsOf:   PointAsOf{p.Block.Number, p.Block.Hash, unix(p.Block.Timestamp), p.MaterializedAt, watermark(p.LatestFlow)},
		Status: p.Status, ReasonCode: p.Reason, MissingAmountEventCount: p.Missing, PoolContractCount: p.Pools, TokenCount: p.Tokens,
		Assets: frame.RenderAll(p.Assets, func(a privacy.Asset) PointAsset { return PointAsset{TokenAddress{a.Token}, flowBody(&a)} }),
	}
}

func (h Handlers) tvlSeries(ctx context.Context, c *frame.Call) (any, error) {
	request, err := c.Page(ctx)
	if err != nil {
		return nil, err
	}
	from, to := c.Hour("from"), c.Hour("to")
	points, err := h.PrivacyPrepared.Points(ctx, c.Chain, from, to, request)
	if err != nil {
		return nil, err
	}
	modified := time.Unix(0, 0)
	for _, p := range points.Items {
		if p.MaterializedAt.After(modified) {
			modified = p.MaterializedAt
		}
	}
	page := TVLPage{renderPage(c, points, tvlPoint), privacy.Hour, "ascending", from, to, request.Limit, privacy.FlowCaveat}
	return frame.Versioned{Body: frame.Encode(page), Modified: modified}, nil
}
