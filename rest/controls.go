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

// controlsBody is who controls what of a token.
type controlsBody struct {
	ChainID      domain.Chain      `json:"chainId"`
	TokenAddress starknet.Felt     `json:"tokenAddress"`
	Indexed      bool              `json:"indexed"`
	ReasonCode   string            `json:"reasonCode"`
	Snapshot     *controlsSnapshot `json:"snapshot"`
}

type controlsSnapshot struct {
	SupplyControl   controlBody       `json:"supplyControl"`
	TransferControl controlBody       `json:"transferControl"`
	MetadataAdmin   controlBody       `json:"metadataAdmin"`
	UpgradeControl  controlBody       `json:"upgradeControl"`
	Evidence        []controlEvidence `json:"evidence"`
	AsOfBlock       uint64            `json:"asOfBlock"`
	IndexedAtIso    time.Time         `json:"indexedAtIso"`
}

type controlBody struct {
	Status token.ControlStatus `json:"status"`
	Actor  *starknet.Felt      `json:"actor"`
}

type controlEvidence struct {
	Kind        string        `json:"kind"`
	BlockNumber uint64        `json:"blockNumber"`
	TxHash      starknet.Felt `json:"txHash"`
}

func (s *server) controls(ctx context.Context, c *Call) (any, error) {
	controls, err := s.Controls.At(ctx, c.Chain, c.Felt("token"))
	if err != nil {
		return nil, err
	}
	body := controlsBody{ChainID: c.Chain, TokenAddress: controls.Token, Indexed: controls.Snapshot != nil, ReasonCode: controls.Reason}
	if known := controls.Snapshot; known != nil {
		body.Snapshot = &controlsSnapshot{
			SupplyControl: controlBody(known.Supply), TransferControl: controlBody(known.Transfer),
			MetadataAdmin: controlBody(known.Metadata), UpgradeControl: controlBody(known.Upgrade),
			Evidence: make([]controlEvidence, len(known.Evidence)), AsOfBlock: known.Block, IndexedAtIso: known.At.Truncate(time.Millisecond),
		}
		for i, evidence := range known.Evidence {
			body.Snapshot.Evidence[i] = controlEvidence{evidence.Kind, evidence.Block, evidence.TxHash}
		}
	}
	return body, nil
}

func (s *server) controlOperations() []Operation {
	return []Operation{
		{
			ID: "getTokenControls", Method: http.MethodGet, Path: "/v1/{chain}/token/{token}/controls",
			Summary: "Who controls supply, transfers, metadata and class of a token",
			Params:  []Param{chainParam, tokenParam}, Permission: account.Read,
			Class: Heavy, Cert: Beta, Audience: External, Budget: 3 * time.Second, Cache: "no-cache",
			Success: http.StatusOK, Body: "TokenControls", Errors: []domain.Code{domain.CodeNotFound},
			Proof: []string{
				"TestTheDemosTokensHaveTheControlsOfTheirClasses", "TestControlsOfATokenOlderThanTheIndexAreUnknown",
				"TestControlsWithoutTheClassAreNotIndexed",
			},
			Handle: s.controls,
		},
	}
}
