package rest

import (
	"context"
	"net/http"
	"time"

	"astrolabe/domain/account"
	"astrolabe/domain/address"
	"astrolabe/starknet"
)

// assetItem is a token that an address may hold.
type assetItem struct {
	TokenAddress starknet.Felt `json:"tokenAddress"`
	Evidence     []assetProof  `json:"evidence"`
	Metadata     assetMetadata `json:"metadata"`
}

type assetProof struct {
	Tier                    address.Tier        `json:"tier"`
	Source                  address.ProofSource `json:"source"`
	LastObservedBlock       *uint64             `json:"lastObservedBlock"`
	EvidenceCountLowerBound *int                `json:"evidenceCountLowerBound"`
}

// assetList is a page of such tokens.
type assetList struct {
	listBody[assetItem]
	Coverage assetCoverage `json:"coverage"`
}

func assetBody(a address.Asset) assetItem {
	body := assetItem{
		TokenAddress: a.Token, Evidence: make([]assetProof, len(a.Proofs)),
		Metadata: assetMetadata{a.Symbol, a.Name, a.Decimals, wordOrNull(a.Standard)},
	}
	for i, p := range a.Proofs {
		body.Evidence[i] = assetProof{p.Tier, p.Source, p.LastBlock, p.AtLeast}
	}
	return body
}

func (s *server) assets(ctx context.Context, c *Call) (any, error) {
	page, err := s.page(ctx, c)
	if err != nil {
		return nil, err
	}
	lists, err := s.Addresses.Assets(ctx, c.Chain, []starknet.Felt{c.Felt(ownerParam.Name)}, address.Scope(c.Text("scope")), page)
	if err != nil {
		return nil, err
	}
	covered := lists[0].Coverage
	return assetList{paged(s, c, lists[0].Page, assetBody), assetCoverage{
		DeclaredScope: covered.Scope, CompleteWithinScope: len(covered.Reasons) == 0,
		ReasonCodes: listOrEmpty(covered.Reasons), CoveredThroughBlock: covered.Through,
	}}, nil
}

func (s *server) assetsOperation() Operation {
	return Operation{
		ID: "discoverAddressAssets", Method: http.MethodGet, Path: "/v1/{chain}/address/{address}/assets/discovery",
		Summary: "The tokens that an address may hold, with the evidence for each",
		Params: []Param{chainParam, ownerParam, {
			Name: "scope", In: InQuery, Kind: EnumKind, Enum: []string{string(address.ScopeWithRegistry), string(address.ScopeDiscovered)},
			Default: string(address.ScopeWithRegistry), About: "Whether well-known tokens are listed, too.",
		}, limitParam(25, 50), cursorParam},
		Permission: account.Read, Class: Heavy, Cert: Beta, Audience: External, Budget: 5 * time.Second, Cache: "no-cache",
		Success: http.StatusOK, Body: "AddressAssetPage",
		Proof:  []string{"TestDiscoveryTellsItsEvidenceAndWhatItLeavesOut", "TestDiscoveryIsNeverGloballyComplete"},
		Handle: s.assets,
	}
}
