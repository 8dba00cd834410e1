package resolver

import (
	"context"

	"github.com/99designs/gqlgen/graphql"
	"github.com/graph-gophers/dataloader/v7"

	"astrolabe/domain"
	"astrolabe/domain/account"
	"astrolabe/domain/address"
	"astrolabe/graph/cohort"
	"astrolabe/graph/scalar"
	"astrolabe/starknet"
)

// AddressAsset is a token that an address may hold, without its balance.
type AddressAsset struct {
	onChain
	membership[*AddressAsset]
	asset *address.Asset
}

// TokenAddress returns the address of the token.
func (a *AddressAsset) TokenAddress() starknet.Felt { return a.asset.Token }

// AssetEvidence is the evidence that an address may hold a token.
type AssetEvidence struct {
	Tier, Source            scalar.Enum
	LastObservedBlock       *uint64
	EvidenceCountLowerBound *int
}

// Evidence returns the evidence for the token, strongest first.
func (a *AddressAsset) Evidence() []AssetEvidence {
	return convert(a.asset.Proofs, func(p address.Proof) AssetEvidence {
		return AssetEvidence{scalar.Enum(p.Tier), scalar.Enum(p.Source), p.LastBlock, p.AtLeast}
	})
}

// AssetMetadata is the token metadata.
type AssetMetadata struct {
	Symbol, Name *string
	Decimals     *int
	Standard     *scalar.Enum
}

// Metadata returns the token metadata.
func (a *AddressAsset) Metadata() AssetMetadata {
	return AssetMetadata{a.asset.Symbol, a.asset.Name, intOrNil(a.asset.Decimals), enumOrNil(a.asset.Standard)}
}

// Token returns the token.
func (a *AddressAsset) Token(ctx context.Context) (*Token, error) {
	return toOne(ctx, a, "AddressAsset.token", requiredKey((*AddressAsset).TokenAddress), a.tokens())
}

// AssetCoverage is the coverage of a list of tokens that an address may hold.
type AssetCoverage struct {
	DeclaredScope       scalar.Enum
	CompleteWithinScope bool
	GloballyComplete    bool // never a claim
	ReasonCodes         []string
	CoveredThroughBlock *uint64
}

func assetCoverage(c address.AssetCoverage) AssetCoverage {
	return AssetCoverage{DeclaredScope: scalar.Enum(c.Scope), CompleteWithinScope: c.Complete(), ReasonCodes: c.Reasons, CoveredThroughBlock: c.Through}
}

// AddressAssetConnection is a page of tokens that an address may hold.
type AddressAssetConnection struct {
	Connection[*AddressAsset]
	Coverage AssetCoverage
}

// AddressAssetEdge is an edge of a connection with one token and its cursor.
type AddressAssetEdge = Edge[*AddressAsset]

// assetSlice is a page of tokens with its coverage.
type assetSlice struct {
	slice[*AddressAsset]
	covered address.AssetCoverage
}

// Assets returns the tokens that the address may hold, with the evidence for
// each.
func (a *Address) Assets(ctx context.Context, scope scalar.Enum, first *int, after *string) (*AddressAssetConnection, error) {
	page, l, err := toMany(ctx, a, first, after, (*Address).felt, a.assetsOfAddresses(address.Scope(scope)))
	if err != nil {
		return nil, err
	}
	return &AddressAssetConnection{
		Connection: Connection[*AddressAsset]{slice: page.slice, list: l},
		Coverage:   assetCoverage(page.covered),
	}, nil
}

// assetsOfAddresses pages through the tokens that each address may hold.
func (on onChain) assetsOfAddresses(scope address.Scope) pager[starknet.Felt, address.AssetPage, assetSlice] {
	return pager[starknet.Felt, address.AssetPage, assetSlice]{
		pagesOf(on, func(ctx context.Context, c domain.Chain, owners []starknet.Felt, page domain.PageRequest) ([]address.AssetPage, error) {
			return on.resolver.Addresses.Assets(ctx, c, owners, scope, page)
		}),
		func(b *cohort.Batch[starknet.Felt, address.AssetPage]) []assetSlice {
			pages := convert(b.Values, func(f address.AssetPage) domain.Page[address.Asset] { return f.Page })
			list := slicesOf(b.Cache, pages, address.Asset.Position, func(_ int, asset address.Asset) *AddressAsset {
				return &AddressAsset{onChain: on, asset: &asset}
			})
			slices := make([]assetSlice, len(list))
			for i := range list {
				slices[i] = assetSlice{list[i], b.Values[i].Coverage}
			}
			return slices
		},
	}
}

// WalletStateInput selects the owner, tokens and block of a wallet snapshot.
type WalletStateInput struct {
	OwnerAddress starknet.Felt
	WalletInput
}

// WalletInput selects the tokens and block of a wallet snapshot.
type WalletInput struct {
	Mode            scalar.Enum
	Scope           scalar.Enum
	TokenAddresses  []starknet.Felt
	Limit           int
	BlockPreference scalar.Enum
	BlockHash       *starknet.Felt
	BlockNumber     *uint64
}

// WalletState holds the token balances of an address, all at the same block.
type WalletState struct {
	OwnerAddress starknet.Felt
	Block        WalletBlock
	Scope        scalar.Enum
	Coverage     AssetCoverage
	Correctness  scalar.Enum
	Items        []WalletBalance
}

// WalletBlock is the block of a wallet's balances.
type WalletBlock struct {
	Preference     scalar.Enum
	BlockNumber    uint64
	BlockHash      *starknet.Felt
	FinalityStatus *scalar.Enum
}

// WalletBalance is the balance of one token.
type WalletBalance struct {
	TokenAddress starknet.Felt
	BalanceRaw   *domain.Amount
	Status       scalar.Enum
	Metadata     AssetMetadata
}

func walletBalance(b address.Balance) WalletBalance {
	balance := WalletBalance{TokenAddress: b.Token, BalanceRaw: amountOrNil(b.Raw), Status: scalar.Enum(b.Status)}
	if t := b.Known; t != nil {
		balance.Metadata = AssetMetadata{t.Metadata.Symbol, t.Metadata.Name, intOrNil(t.Metadata.Decimals), enumOrNil(t.Standard)}
	}
	return balance
}

// WalletState returns the token balances of an address, all at the same block.
func (r *Query) WalletState(ctx context.Context, id domain.Chain, input WalletStateInput) (*WalletState, error) {
	if _, err := r.resolver.served(id); err != nil {
		return nil, err
	}
	if err := r.resolver.Draw(ctx, account.Heavy, 1); err != nil {
		return nil, err
	}
	wallet, err := r.resolver.Wallets.At(ctx, id, input.query(), input.OwnerAddress)
	if err != nil {
		return nil, err
	}
	return input.state(input.OwnerAddress, wallet), nil
}

// maxWallets is the number of wallets that one field reads from a node at once.
const maxWallets = 5

// WalletState returns the token balances of the address, all at the same block.
func (a *Address) WalletState(ctx context.Context, input WalletInput) (*WalletState, error) {
	kind := cohort.Kind{Chain: a.chain, Name: "wallet of an address", Arguments: filtersOf(ctx, graphql.GetFieldContext(ctx))}
	wallet, err := loadFact(ctx, a, (*Address).felt, cohort.Fact[starknet.Felt, address.Wallet]{Kind: kind, Read: a.wallets(input)})
	if err != nil {
		return nil, err
	}
	return input.state(a.Address, wallet), nil
}

// wallets reads the wallets of several addresses; each can fail alone.
func (on onChain) wallets(input WalletInput) dataloader.BatchFunc[starknet.Felt, address.Wallet] {
	return cohort.Each(func(ctx context.Context, owners []starknet.Felt) ([]*dataloader.Result[address.Wallet], error) {
		if len(owners) > maxWallets {
			return nil, domain.Errorf(domain.CodeInvalidRequest, "This field would read %d wallets at once; the limit is %d. Request fewer parent objects, for example with a smaller value of `first`.", len(owners), maxWallets)
		}
		if err := on.resolver.Draw(ctx, account.Heavy, len(owners)); err != nil {
			return nil, err
		}
		wallets, err := on.resolver.Wallets.Of(ctx, on.chain, input.query(), owners)
		return convert(wallets, func(w address.WalletResult) *dataloader.Result[address.Wallet] {
			return &dataloader.Result[address.Wallet]{Data: w.Wallet, Error: w.Err}
		}), err
	})
}

func (in WalletInput) query() address.WalletQuery {
	return address.WalletQuery{
		Mode: address.WalletMode(in.Mode), Scope: address.Scope(in.Scope), Tokens: in.TokenAddresses, Limit: in.Limit,
		Preference: address.BlockPreference(in.BlockPreference), BlockHash: in.BlockHash, BlockNumber: in.BlockNumber,
	}
}

func (in WalletInput) state(owner starknet.Felt, wallet address.Wallet) *WalletState {
	return &WalletState{
		OwnerAddress: owner, Scope: in.Scope, Correctness: scalar.Enum(wallet.Correctness), Items: convert(wallet.Items, walletBalance),
		Block:    WalletBlock{in.BlockPreference, wallet.Block.Number, wallet.Block.Hash, enumOrNil(wallet.Block.Finality)},
		Coverage: assetCoverage(wallet.Coverage),
	}
}
