package privacy

import (
	"context"

	"astrolabe/domain"
	"astrolabe/domain/privacy"
	"astrolabe/rest/frame"
)

// AnalyticsBody are sums over the finalized events of the pool.
type AnalyticsBody struct {
	Envelope
	TotalEvents             uint64              `json:"totalEvents"`
	UniqueTransactionCount  uint64              `json:"uniqueTransactionCount"`
	ContractCount           uint64              `json:"contractCount"`
	LatestEventBlock        *uint64             `json:"latestEventBlock"`
	EventBreakdown          []NameCount         `json:"eventBreakdown"`
	VisibilityBreakdown     []NameCount         `json:"visibilityBreakdown"`
	TokenFlows              []TokenFlow         `json:"tokenFlows"`
	TokenFlowsTruncated     bool                `json:"tokenFlowsTruncated"`
	MissingAmountEventCount uint64              `json:"missingAmountEventCount"`
	UnknownTokenCount       uint64              `json:"unknownTokenCount"`
	UnavailableMetrics      []UnavailableMetric `json:"unavailableMetrics"`
	Caveat                  string              `json:"caveat"`
}

// TokenFlow is what was seen to flow of a token.
type TokenFlow struct {
	Token                         Token         `json:"token"`
	EventCount                    uint64        `json:"eventCount"`
	DepositEventCount             uint64        `json:"depositEventCount"`
	WithdrawalEventCount          uint64        `json:"withdrawalEventCount"`
	ObservableDepositAmountRaw    string        `json:"observableDepositAmountRaw"`
	ObservableWithdrawalAmountRaw string        `json:"observableWithdrawalAmountRaw"`
	ObservableNetAmountRaw        domain.Amount `json:"observableNetAmountRaw"`
	MissingAmountEventCount       uint64        `json:"missingAmountEventCount"`
}

func tokenFlow(a privacy.Asset) TokenFlow {
	return TokenFlow{
		Token: tokenBody(&a), EventCount: a.Deposits + a.Withdrawals, DepositEventCount: a.Deposits, WithdrawalEventCount: a.Withdrawals,
		ObservableDepositAmountRaw: a.Deposited.String(), ObservableWithdrawalAmountRaw: a.Withdrawn.String(),
		ObservableNetAmountRaw: a.Net(), MissingAmountEventCount: a.Missing,
	}
}

// UnavailableMetric is a number that public events do not give.
type UnavailableMetric struct {
	Metric     string `json:"metric"`
	ReasonCode string `json:"reasonCode"`
	Reason     string `json:"reason"`
}

var unavailableMetrics = []UnavailableMetric{
	{"tvlUsd", "requires_balance_and_price_snapshots", "A value needs balances and prices at one moment. This service has neither for the pool."},
	{"privateSwapVolume", "volume_pricing_not_certified", "The pool's events do not say which flows are swaps, and their prices are not certified."},
	{"exactAnonymitySet", "commitment_state_materializer_required", "Counts of public events are not an anonymity set."},
	{"privateActivity", "private_activity_metrics_not_migrated", "Activity within the pool is hidden by design."},
}

func (h Handlers) analytics(ctx context.Context, c *frame.Call) (any, error) {
	return h.analyticsBody(ctx, c)
}

func (h Handlers) analyticsBody(ctx context.Context, c *frame.Call) (AnalyticsBody, error) {
	sums, err := h.PrivacyPrepared.Analytics(ctx, c.Chain)
	if err != nil {
		return AnalyticsBody{}, err
	}
	body := AnalyticsBody{
		Envelope: envelope(c), TotalEvents: sums.Events.Total(), UniqueTransactionCount: sums.Transactions, ContractCount: sums.Active,
		EventBreakdown: frame.RenderAll(sums.Events.Breakdown(), nameCount), VisibilityBreakdown: frame.RenderAll(sums.Events.ByVisibility(), nameCount),
		TokenFlows: frame.RenderAll(sums.Assets, tokenFlow), TokenFlowsTruncated: sums.Truncated,
		MissingAmountEventCount: sums.Missing, UnknownTokenCount: sums.Undescribed,
		UnavailableMetrics: unavailableMetrics, Caveat: privacy.FlowCaveat,
	}
	if sums.Event != nil {
		body.LatestEventBlock = &sums.Event.Block
	}
	return body, nil
}
