package addresses

import (
	"context"
	"net/http"
	"time"

	"astrolabe/domain"
	"astrolabe/domain/account"
	"astrolabe/domain/address"
	"astrolabe/rest/frame"
	"astrolabe/starknet"
)

type addressesRequest struct {
	Addresses []starknet.Felt `json:"addresses" form:"an array of 1 to 128 addresses"`
}

// SummaryItem is the summary of an address. An unknown one has only its
// address.
type SummaryItem struct {
	Address             starknet.Felt      `json:"address"`
	Found               bool               `json:"found"`
	TotalActivityCount  *int               `json:"totalActivityCount"`
	ActivityCountExact  bool               `json:"activityCountExact"`
	LatestActivityBlock *uint64            `json:"latestActivityBlock"`
	ClassHash           *starknet.Felt     `json:"classHash"`
	IsAccount           *bool              `json:"isAccount"`
	CreatedOnIso        *time.Time         `json:"createdOnIso"`
	DeployedAtTxHash    *starknet.Felt     `json:"deployedAtTxHash"`
	DeployedByAddress   *starknet.Felt     `json:"deployedByAddress"`
	Coverage            frame.CoverageBody `json:"coverage"`
}

func summaryBody(s address.Summary) SummaryItem {
	return SummaryItem{
		Address: s.Address, Found: s.Found, TotalActivityCount: s.ActivityCount, ActivityCountExact: s.CountExact, LatestActivityBlock: s.LatestBlock,
		ClassHash: s.Class, IsAccount: s.Account, CreatedOnIso: s.CreatedAt, DeployedAtTxHash: s.DeployedAtTx, DeployedByAddress: s.DeployedBy,
		Coverage: frame.RenderCoverage(s.Coverage),
	}
}

// IntelligenceItem is the deployment, type, label and protocol of an address.
type IntelligenceItem struct {
	Address          starknet.Felt      `json:"address"`
	Found            bool               `json:"found"`
	IsDeployed       bool               `json:"isDeployed"`
	Label            *string            `json:"label"`
	LabelSource      *address.Source    `json:"labelSource"`
	Protocol         *protocolBody      `json:"protocol"`
	TypeLabel        address.Type       `json:"typeLabel"`
	ClassHash        *starknet.Felt     `json:"classHash"`
	ClassLabel       *string            `json:"classLabel"`
	HasReceivedFunds *bool              `json:"hasReceivedFunds"`
	Coverage         frame.CoverageBody `json:"coverage"`
}

func intelligenceBody(i address.Intelligence) IntelligenceItem {
	body := IntelligenceItem{
		Address: i.Address, Found: i.Found, IsDeployed: i.Deployed, Protocol: wireProtocol(i.Label), TypeLabel: i.Type,
		ClassHash: i.Class, ClassLabel: i.ClassLabel, HasReceivedFunds: i.ReceivedFunds, Coverage: frame.RenderCoverage(i.Coverage),
	}
	if i.Label != nil {
		body.Label, body.LabelSource = &i.Label.Text, &i.Label.Source
	}
	return body
}

func (h Handlers) addressSummaries(ctx context.Context, c *frame.Call) (any, error) {
	return addressBatch(ctx, c, h.Addresses.Summaries, summaryBody)
}

func (h Handlers) addressIntelligence(ctx context.Context, c *frame.Call) (any, error) {
	return addressBatch(ctx, c, h.Addresses.Intelligence, intelligenceBody)
}

// addressBatch returns one item per address of the request, in order.
func addressBatch[T, W any](ctx context.Context, c *frame.Call, read func(context.Context, domain.Chain, []starknet.Felt) ([]T, error), wire func(T) W) (any, error) {
	var request addressesRequest
	if err := c.DecodeJSON(&request); err != nil {
		return nil, err
	}
	if err := frame.CheckBatch("addresses", len(request.Addresses)); err != nil {
		return nil, err
	}
	items, err := read(ctx, c.Chain, request.Addresses)
	if err != nil {
		return nil, err
	}
	return frame.BatchBody[W]{ChainID: c.Chain, Items: frame.RenderAll(items, wire)}, nil
}

func (h Handlers) addressBatchOperations() []frame.Operation {
	return []frame.Operation{
		{
			ID: "summariseAddresses", Method: http.MethodPost, Path: "/v1/{chain}/address/summaries",
			Summary: "Summarise up to 128 addresses.",
			Params:  []frame.Param{frame.ChainParam}, Request: "AddressesRequest", MaxBody: 32 << 10, Permission: account.Batch,
			Class: frame.Batch, Cert: frame.Beta, Audience: frame.External, Timeout: 5 * time.Second, Cache: "no-cache",
			Success: http.StatusOK, Body: "AddressSummaryList",
			Proof:  []string{"TestSummariesKeepTheOrderOfTheRequest", "TestAnInexactCountIsNeverATrustworthyZero"},
			Handle: h.addressSummaries,
		},
		{
			ID: "describeAddresses", Method: http.MethodPost, Path: "/v1/{chain}/address/intelligence",
			Summary: "Get type, label and protocol of up to 128 addresses.",
			Params:  []frame.Param{frame.ChainParam}, Request: "AddressesRequest", MaxBody: 32 << 10, Permission: account.Batch,
			Class: frame.Batch, Cert: frame.Beta, Audience: frame.External, Timeout: 5 * time.Second, Cache: "no-cache",
			Success: http.StatusOK, Body: "AddressIntelligenceList",
			Proof:  []string{"TestIntelligenceKeepsTheOrderOfTheRequest"},
			Handle: h.addressIntelligence,
		},
	}
}
