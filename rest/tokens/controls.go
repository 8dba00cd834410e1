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

// ControlsBody is the controls over a token.
type ControlsBody struct {
	ChainID      domain.Chain      `json:"chainId"`
	TokenAddress starknet.Felt     `json:"tokenAddress"`
	Indexed      bool              `json:"indexed"`
	ReasonCode   string            `json:"reasonCode"`
	Snapshot     *ControlsSnapshot `json:"snapshot"`
}

// ControlsSnapshot is the state of a token's controls at a block.
type ControlsSnapshot struct {
	SupplyControl   ControlBody       `json:"supplyControl"`
	TransferControl ControlBody       `json:"transferControl"`
	MetadataAdmin   ControlBody       `json:"metadataAdmin"`
	UpgradeControl  ControlBody       `json:"upgradeControl"`
	Evidence        []ControlEvidence `json:"evidence"`
	AsOfBlock       uint64            `json:"asOfBlock"`
	IndexedAtIso    time.Time         `json:"indexedAtIso"`
}

// ControlBody is one control and who holds it.
type ControlBody struct {
	Status token.ControlStatus `json:"status"`
	Actor  *starknet.Felt      `json:"actor"`
}

// ControlEvidence is an event from which a control is derived.
type ControlEvidence struct {
	Kind        string        `json:"kind"`
	BlockNumber uint64        `json:"blockNumber"`
	TxHash      starknet.Felt `json:"txHash"`
}

func (h Handlers) controls(ctx context.Context, c *frame.Call) (any, error) {
	controls, err := h.Controls.At(ctx, c.Chain, c.Felt("token"))
	if err != nil {
		return nil, h.absent(ctx, c, err)
	}
	body := ControlsBody{ChainID: c.Chain, TokenAddress: controls.Token, Indexed: controls.Snapshot != nil, ReasonCode: controls.Reason}
	if known := controls.Snapshot; known != nil {
		body.Snapshot = &ControlsSnapshot{
			SupplyControl: ControlBody(known.Supply), TransferControl: ControlBody(known.Transfer),
			MetadataAdmin: ControlBody(known.Metadata), UpgradeControl: ControlBody(known.Upgrade),
			Evidence: make([]ControlEvidence, len(known.Evidence)), AsOfBlock: known.Block, IndexedAtIso: known.At,
		}
		for i, evidence := range known.Evidence {
			body.Snapshot.Evidence[i] = ControlEvidence{evidence.Kind, evidence.Block, evidence.TxHash}
		}
	}
	return body, nil
}

// ControlOperations are the routes of token controls.
func (h Handlers) ControlOperations() []frame.Operation {
	return []frame.Operation{
		{
			ID: "getTokenControls", Method: http.MethodGet, Path: "/v1/{chain}/token/{token}/controls",
			Summary: "Get who controls the supply, transfers, metadata and class of a token.",
			Params:  []frame.Param{frame.ChainParam, frame.TokenParam}, Permission: account.Read,
			Class: frame.Heavy, Cert: frame.Beta, Audience: frame.External, Timeout: 3 * time.Second, Cache: "no-cache",
			Success: http.StatusOK, Body: "TokenControls", Errors: []domain.Code{domain.CodeNotFound},
			Proof: []string{
				"TestTokensHaveTheControlsOfTheirClasses", "TestControlsOfATokenOlderThanTheIndexAreUnknown",
				"TestControlsWithoutTheClassAreNotIndexed",
			},
			Handle: h.controls,
		},
	}
}
