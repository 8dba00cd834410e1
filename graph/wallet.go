package graph

import (
	"context"

	"astrolabe/domain"
	"astrolabe/domain/token"
	"astrolabe/starknet"
)

// WalletStateInput is what a wallet is asked for.
type WalletStateInput struct {
	OwnerAddress    starknet.Felt
	Mode            Word
	Scope           Word
	TokenAddresses  []starknet.Felt
	Limit           int
	BlockPreference Word
	BlockHash       *starknet.Felt
	BlockNumber     *uint64
}

// WalletState is what an address holds.
type WalletState struct {
	OwnerAddress starknet.Felt
	Block        WalletBlock
	Scope        Word
	Coverage     AssetCoverage
	Correctness  Word
	Items        []WalletBalance
}

// WalletBlock is the block of a wallet's balances.
type WalletBlock struct {
	Preference     Word
	BlockNumber    uint64
	BlockHash      *starknet.Felt
	FinalityStatus *Word
}

// WalletBalance is one balance of a wallet.
type WalletBalance struct {
	TokenAddress starknet.Felt
	BalanceRaw   *domain.Amount
	Status       Word
	Metadata     AssetMetadata
}

func walletBalance(b token.Balance) WalletBalance {
	balance := WalletBalance{TokenAddress: b.Token, BalanceRaw: amountOrNil(b.Raw), Status: Word(b.Status)}
	if t := b.Known; t != nil {
		balance.Metadata = AssetMetadata{t.Metadata.Symbol, t.Metadata.Name, intOrNil(t.Metadata.Decimals), wordOrNil(t.Standard)}
	}
	return balance
}

// WalletState returns what an address holds.
func (r queryResolver) WalletState(ctx context.Context, id domain.Chain, input WalletStateInput) (*WalletState, error) {
	if _, err := r.h.of(id); err != nil {
		return nil, err
	}
	if input.Limit < 1 || input.Limit > token.MaxWallet {
		return nil, domain.Errorf(domain.CodeInvalidRequest, "limit must be an integer from 1 to %d", token.MaxWallet)
	}
	query := token.WalletQuery{
		Owner: input.OwnerAddress, Mode: token.WalletMode(input.Mode), Scope: token.Scope(input.Scope), Tokens: input.TokenAddresses, Limit: input.Limit,
		Preference: token.BlockPreference(input.BlockPreference), BlockHash: input.BlockHash, BlockNumber: input.BlockNumber,
	}
	wallet, err := r.h.Wallets.At(ctx, id, query)
	if err != nil {
		return nil, err
	}
	state := &WalletState{
		OwnerAddress: query.Owner, Scope: input.Scope, Correctness: "verified_partial", Items: convert(wallet.Items, walletBalance),
		Block:    WalletBlock{input.BlockPreference, wallet.Block.Number, wallet.Block.Hash, wordOrNil(wallet.Block.Finality)},
		Coverage: assetCoverage(query.Scope, wallet.Reasons, wallet.Through),
	}
	if wallet.Complete {
		state.Correctness = "verified_complete"
	}
	return state, nil
}
