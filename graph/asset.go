package graph

import (
	"context"

	"astrolabe/domain"
	"astrolabe/domain/address"
	"astrolabe/starknet"
)

// AddressAsset is a token that an address may hold.
type AddressAsset struct {
	part
	among[*AddressAsset]
	asset *address.Asset
}

// TokenAddress returns the token.
func (a *AddressAsset) TokenAddress() starknet.Felt { return a.asset.Token }

// AssetEvidence is why a token may be held.
type AssetEvidence struct {
	Tier, Source            Word
	LastObservedBlock       *uint64
	EvidenceCountLowerBound *int
}

// Evidence returns why the token may be held.
func (a *AddressAsset) Evidence() []AssetEvidence {
	return convert(a.asset.Proofs, func(p address.Proof) AssetEvidence {
		return AssetEvidence{Word(p.Tier), Word(p.Source), p.LastBlock, p.AtLeast}
	})
}

// AssetMetadata is what is known of a token.
type AssetMetadata struct {
	Symbol, Name *string
	Decimals     *int
	Standard     *Word
}

// Metadata returns what is known of the token.
func (a *AddressAsset) Metadata() AssetMetadata {
	return AssetMetadata{a.asset.Symbol, a.asset.Name, intOrNil(a.asset.Decimals), wordOrNil(a.asset.Standard)}
}

// Token returns the token.
func (a *AddressAsset) Token(ctx context.Context) (*Token, error) {
	return toOne(ctx, a.peers, a, "AddressAsset.token", present((*AddressAsset).TokenAddress), a.tokens)
}

// AssetCoverage is what a list of somebody's tokens rests on.
type AssetCoverage struct {
	DeclaredScope       Word
	CompleteWithinScope bool
	GloballyComplete    bool // never a claim
	ReasonCodes         []string
	CoveredThroughBlock *uint64
}

func assetCoverage(c address.AssetCoverage) AssetCoverage {
	return AssetCoverage{DeclaredScope: Word(c.Scope), CompleteWithinScope: c.Complete(), ReasonCodes: c.Reasons, CoveredThroughBlock: c.Through}
}

// AddressAssetConnection is a page of the tokens that an address may hold.
type AddressAssetConnection struct {
	Connection[*AddressAsset]
	Coverage AssetCoverage
}

// AddressAssetEdge is such a token in a list.
type AddressAssetEdge = Edge[*AddressAsset]

// assetSlice is a page of tokens and what it rests on.
type assetSlice struct {
	slice[*AddressAsset]
	covered address.AssetCoverage
}

// Assets returns the tokens that the address may hold.
func (a *Address) Assets(ctx context.Context, scope Word, first *int, after *string) (*AddressAssetConnection, error) {
	page, l, err := toMany(ctx, a, first, after, func(ctx context.Context, owners []*Address, request domain.PageRequest) ([]assetSlice, error) {
		found, err := a.h.Addresses.Assets(ctx, a.chain, felts(owners), address.Scope(scope), request)
		if err != nil {
			return nil, err
		}
		return a.assetSlices(found), nil
	})
	if err != nil {
		return nil, err
	}
	return &AddressAssetConnection{
		Connection: Connection[*AddressAsset]{slice: page.slice, list: l},
		Coverage:   assetCoverage(page.covered),
	}, nil
}

func (p part) assetSlices(found []address.AssetPage) []assetSlice {
	pages := convert(found, func(f address.AssetPage) domain.Page[address.Asset] { return f.Page })
	list := slicesOf(pages, address.Asset.Position, func(_ int, asset address.Asset) *AddressAsset { return &AddressAsset{part: p, asset: &asset} })
	slices := make([]assetSlice, len(list))
	for i := range list {
		slices[i] = assetSlice{list[i], found[i].Coverage}
	}
	return slices
}
