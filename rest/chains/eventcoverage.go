package chains

import (
	"context"
	"time"

	"astrolabe/domain"
	"astrolabe/domain/account"
	"astrolabe/domain/chain"
	"astrolabe/domain/event"
	"astrolabe/starknet"
)

// IntervalBody is a block range, both ends inclusive.
type IntervalBody struct {
	FromBlock uint64 `json:"fromBlock"`
	ToBlock   uint64 `json:"toBlock"`
}

// diagnosticsBody compares a certificate with the indexed blocks.
type diagnosticsBody struct {
	FreshnessStatus                event.Freshness `json:"freshnessStatus"`
	SourceLowWaterBlock            uint64          `json:"sourceLowWaterBlock"`
	SourceHighWaterBlock           uint64          `json:"sourceHighWaterBlock"`
	SourceContiguousLowWaterBlock  uint64          `json:"sourceContiguousLowWaterBlock"`
	SourceContiguousHighWaterBlock uint64          `json:"sourceContiguousHighWaterBlock"`
	LagBlocks                      uint64          `json:"lagBlocks"`
	OpenEnded                      bool            `json:"openEnded"`
	LiveMaintenance                bool            `json:"liveMaintenance"`
}

func diagnostics(d event.Diagnostics) diagnosticsBody {
	return diagnosticsBody{
		d.Freshness, d.SourceLow, d.SourceHigh, d.ContiguousLow, d.ContiguousHigh, d.Lag, d.OpenEnded, d.LiveMaintenance,
	}
}

// RangeCoverage is the coverage of a search over a wide block range.
type RangeCoverage struct {
	Requested IntervalBody  `json:"requested"`
	Completed *IntervalBody `json:"completed"`
	Complete  bool          `json:"complete"`
	diagnosticsBody
}

func rangeBody(r *event.RangeCoverage) *RangeCoverage {
	if r == nil {
		return nil
	}
	body := &RangeCoverage{Requested: IntervalBody{r.Requested.From, r.Requested.To}, Complete: r.Complete, diagnosticsBody: diagnostics(r.Diagnostics)}
	if r.Completed != nil {
		body.Completed = &IntervalBody{r.Completed.From, r.Completed.To}
	}
	return body
}

// SelectorCoverage is the certificate of a key position for searches over wide
// block ranges.
type SelectorCoverage struct {
	ChainID      domain.Chain            `json:"chainId"`
	Selector     starknet.Felt           `json:"selector"`
	Position     int                     `json:"position"`
	SourceTier   chain.Tier              `json:"sourceTier"`
	FromBlock    uint64                  `json:"fromBlock"`
	ThroughBlock uint64                  `json:"throughBlock"`
	Status       event.CertificateStatus `json:"status"`
	VerifiedAt   *time.Time              `json:"verifiedAt"`
	diagnosticsBody
}

// EventSearchBody says which event searches the caller may make.
type EventSearchBody struct {
	Bounded struct {
		MaximumBlocksInclusive int `json:"maximumBlocksInclusive"`
	} `json:"bounded"`
	FullRange struct {
		Entitled              bool               `json:"entitled"`
		RequiredWorkspacePlan account.Plan       `json:"requiredWorkspacePlan"`
		SelectorCoverage      []SelectorCoverage `json:"selectorCoverage"`
	} `json:"fullRange"`
}

// EventSearch returns what the caller of the context may search on the given
// chains. A request without a key may not search at all, and gets the limits of
// an ordinary key.
func (h Handlers) EventSearch(ctx context.Context, chains []domain.Chain) (body EventSearchBody, err error) {
	body.Bounded.MaximumBlocksInclusive = event.MaxBlocks
	body.FullRange.RequiredWorkspacePlan = account.WideSearchPlan
	if caller := account.CallerOf(ctx); caller != nil {
		body.FullRange.Entitled = caller.Plan.AllowsWideSearch()
	}
	body.FullRange.SelectorCoverage, err = h.selectorCoverage(ctx, chains)
	return body, err
}

// selectorCoverage lists the certificates of the given chains.
func (h Handlers) selectorCoverage(ctx context.Context, chains []domain.Chain) ([]SelectorCoverage, error) {
	list := []SelectorCoverage{}
	for _, c := range chains {
		covered, err := h.Events.Coverage(ctx, c)
		if err != nil {
			return nil, err
		}
		for _, row := range covered {
			list = append(list, SelectorCoverage{
				ChainID: c, Selector: row.Selector, Position: row.Position, SourceTier: row.Tier(), FromBlock: row.From, ThroughBlock: *row.Through,
				Status: row.Status, VerifiedAt: row.VerifiedAt, diagnosticsBody: diagnostics(row.Diagnostics),
			})
		}
	}
	return list, nil
}
