package contracts

import (
	"context"
	"net/http"
	"time"

	"astrolabe/domain/account"
	"astrolabe/domain/bridge"
	"astrolabe/rest/frame"
	"astrolabe/starknet"
)

// BridgeSignalItem is a deposit or withdrawal that a bridge reported.
type BridgeSignalItem struct {
	BlockNumber       uint64            `json:"blockNumber"`
	TimestampIso      time.Time         `json:"timestampIso"`
	TxIndex           int               `json:"txIndex"`
	LogIndex          int               `json:"logIndex"`
	TxHash            starknet.Felt     `json:"txHash"`
	Direction         bridge.Direction  `json:"direction"`
	Protocol          string            `json:"protocol"`
	TokenAddress      *starknet.Felt    `json:"tokenAddress"`
	L1Token           *starknet.Felt    `json:"l1Token"`
	Account           *starknet.Felt    `json:"account"`
	Amount            *string           `json:"amount"`
	EventName         string            `json:"eventName"`
	MessageHash       *starknet.Hash256 `json:"messageHash"`
	PairingConfidence bridge.Confidence `json:"pairingConfidence"`
}

func bridgeSignalBody(s bridge.Signal) BridgeSignalItem {
	item := BridgeSignalItem{
		BlockNumber: s.Block, TimestampIso: s.Time, TxIndex: s.Tx, LogIndex: s.Log, TxHash: s.TxHash,
		Direction: s.Direction, Protocol: s.Protocol, TokenAddress: s.Token, L1Token: s.L1Token, Account: s.Account,
		EventName: s.Event, MessageHash: s.Message, PairingConfidence: s.Confidence(),
	}
	if s.Amount != nil {
		item.Amount = new(s.Amount.String())
	}
	return item
}

func (h Handlers) bridgeSignals(ctx context.Context, c *frame.Call) (any, error) {
	page, err := c.Page(ctx)
	if err != nil {
		return nil, err
	}
	lists, err := h.Bridges.Of(ctx, c.Chain, []starknet.Felt{c.Felt("address")}, page)
	if err != nil {
		return nil, err
	}
	return frame.RenderCoveredPage(c, lists[0].Page, lists[0].Coverage, bridgeSignalBody), nil
}

// BridgeSignalOperations are the routes of bridge signals.
func (h Handlers) BridgeSignalOperations() []frame.Operation {
	return []frame.Operation{
		{
			ID: "listBridgeSignals", Method: http.MethodGet, Path: "/v1/{chain}/contract/{address}/bridge-signals",
			Summary: "List the deposits and withdrawals of a bridge contract, newest first.",
			Params:  []frame.Param{frame.ChainParam, frame.ContractParam, frame.LimitParam(25, 100), frame.CursorParam}, Permission: account.Read,
			Class: frame.Heavy, Cert: frame.Beta, Audience: frame.External, Timeout: 5 * time.Second, Cache: "no-cache",
			Success: http.StatusOK, Body: "BridgeSignalPage",
			Proof: []string{
				"TestBridgeSignalsMatchTheEventsOfBridges", "TestASignalIsPairedWithTheMessageOfItsTransaction",
				"TestSignalsOfAnUnknownContractAreUnavailable",
			},
			Handle: h.bridgeSignals,
		},
	}
}
