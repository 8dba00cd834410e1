package graph

import (
	"context"

	"astrolabe/domain"
	"astrolabe/domain/address"
	"astrolabe/starknet"
)

// WalletStateInput is whose wallet is asked for, and for what.
type WalletStateInput struct {
	OwnerAddress starknet.Felt
	WalletInput
}

// WalletInput is what a wallet is asked for.
type WalletInput struct {
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

func walletBalance(b address.Balance) WalletBalance {
	balance := WalletBalance{TokenAddress: b.Token, BalanceRaw: amountOrNil(b.Raw), Status: Word(b.Status)}
	if t := b.Known; t != nil {
		balance.Metadata = AssetMetadata{t.Metadata.Symbol, t.Metadata.Name, intOrNil(t.Metadata.Decimals), wordOrNil(t.Standard)}
	}
	return balance
}

// WalletState returns what an address holds.
func (r queryResolver) WalletState(ctx context.Context, id domain.Chain, input WalletStateInput) (*WalletState, error) {
	p, err := r.h.of(id)
	if err != nil {
		return nil, err
	}
	return p.wallet(ctx, input.OwnerAddress, input.WalletInput)
}

// maxWallets is how many wallets one field asks a node about.
const maxWallets = 5

// WalletState returns what the address holds.
func (a *Address) WalletState(ctx context.Context, input WalletInput) (*WalletState, error) {
	answer, err := load(ctx, a.peers, edge{"Address.walletState", string(encode(input))}, a, func(ctx context.Context, owners []*Address) ([]told[WalletState], error) {
		if len(owners) > maxWallets {
			return nil, domain.Errorf(domain.CodeInvalidRequest, "the field would ask about %d addresses; at most %d can be asked about at once: ask for fewer items around it", len(owners), maxWallets)
		}
		answers := make([]told[WalletState], len(owners))
		for i, owner := range owners {
			answers[i].value, answers[i].err = a.wallet(ctx, owner.Address, input)
		}
		return answers, nil
	})
	if err != nil {
		return nil, err
	}
	return answer.value, answer.err
}

// wallet reads what an address holds.
func (p part) wallet(ctx context.Context, owner starknet.Felt, input WalletInput) (*WalletState, error) {
	query := address.WalletQuery{
		Owner: owner, Mode: address.WalletMode(input.Mode), Scope: address.Scope(input.Scope), Tokens: input.TokenAddresses, Limit: input.Limit,
		Preference: address.BlockPreference(input.BlockPreference), BlockHash: input.BlockHash, BlockNumber: input.BlockNumber,
	}
	wallet, err := p.h.Wallets.At(ctx, p.chain, query)
	if err != nil {
		return nil, err
	}
	return &WalletState{
		OwnerAddress: owner, Scope: input.Scope, Correctness: Word(wallet.Correctness), Items: convert(wallet.Items, walletBalance),
		Block:    WalletBlock{input.BlockPreference, wallet.Block.Number, wallet.Block.Hash, wordOrNil(wallet.Block.Finality)},
		Coverage: assetCoverage(wallet.Coverage),
	}, nil
}
