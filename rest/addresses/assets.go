package addresses

import (
	"context"
	"net/http"
	"time"

	"astrolabe/domain/account"
	"astrolabe/domain/address"
	"astrolabe/rest/frame"
	"astrolabe/starknet"
)

// AssetItem is a token that an address may hold.
type AssetItem struct {
	TokenAddress starknet.Felt `json:"tokenAddress"`
	Evidence     []AssetProof  `json:"evidence"`
	Metadata     assetMetadata `json:"metadata"`
}

// AssetProof is evidence that the address holds the token.
type AssetProof struct {
	Tier                    address.Tier        `json:"tier"`
	Source                  address.ProofSource `json:"source"`
	LastObservedBlock       *uint64             `json:"lastObservedBlock"`
	EvidenceCountLowerBound *int                `json:"evidenceCountLowerBound"`
}

// AssetList is a page of tokens that an address may hold.
type AssetList struct {
	frame.ListBody[AssetItem]
	Coverage assetCoverage `json:"coverage"`
}

func assetBody(a address.Asset) AssetItem {
	body := AssetItem{
		TokenAddress: a.Token, Evidence: make([]AssetProof, len(a.Proofs)),
		Metadata: assetMetadata{a.Symbol, a.Name, a.Decimals, frame.NullIfEmpty(a.Standard)},
	}
	for i, p := range a.Proofs {
		body.Evidence[i] = AssetProof{p.Tier, p.Source, p.LastBlock, p.AtLeast}
	}
	return body
}

func (h Handlers) assets(ctx context.Context, c *frame.Call) (any, error) {
	page, err := c.Page(ctx)
	if err != nil {
		return nil, err
	}
	lists, err := h.Addresses.Assets(ctx, c.Chain, []starknet.Felt{c.Felt(frame.AddressParam.Name)}, address.Scope(c.Text("scope")), page)
	if err != nil {
		return nil, err
	}
	return AssetList{frame.RenderPage(c, lists[0].Page, assetBody), wireAssetCoverage(lists[0].Coverage)}, nil
}

func (h Handlers) assetsOperation() frame.Operation {
	return frame.Operation{
		ID: "discoverAddressAssets", Method: http.MethodGet, Path: "/v1/{chain}/address/{address}/assets/discovery",
		Summary: "List tokens that an address may hold, with evidence.",
		Params: []frame.Param{frame.ChainParam, frame.AddressParam, {
			Name: "scope", In: frame.InQuery, Kind: frame.EnumKind, Enum: []string{string(address.ScopeWithRegistry), string(address.ScopeDiscovered)},
			Default: string(address.ScopeWithRegistry), About: "Whether tokens of the registry are included.",
		}, frame.LimitParam(25, 50), frame.CursorParam},
		Permission: account.Read, Class: frame.Heavy, Cert: frame.Beta, Audience: frame.External, Timeout: 5 * time.Second, Cache: "no-cache",
		Success: http.StatusOK, Body: "AddressAssetPage",
		Proof:  []string{"TestDiscoveryReportsItsEvidenceAndOmissions", "TestDiscoveryIsNeverGloballyComplete"},
		Handle: h.assets,
	}
}
