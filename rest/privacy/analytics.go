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

func unavailableMetric(m privacy.UnavailableMetric) UnavailableMetric {
	return UnavailableMetric{m.Metric, m.ReasonCode, m.Reason}
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
		UnavailableMetrics: frame.RenderAll(privacy.UnavailableMetrics, unavailableMetric), Caveat: privacy.FlowCaveat,
	}
	if sums.Event != nil {
		body.LatestEventBlock = &sums.Event.Block
	}
	return body, nil
}
