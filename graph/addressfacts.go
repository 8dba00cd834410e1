package graph

import (
	"context"
	"time"

	"astrolabe/domain/address"
	"astrolabe/starknet"
)

// AddressSummary is what an address did, in short.
type AddressSummary struct {
	Found               bool
	TotalActivityCount  *int
	ActivityCountExact  bool
	LatestActivityBlock *uint64
	ClassHash           *starknet.Felt
	IsAccount           *bool
	CreatedOnIso        *time.Time
	DeployedAtTxHash    *starknet.Felt
	DeployedByAddress   *starknet.Felt
}

// Summary returns what the address did.
func (a *Address) Summary(ctx context.Context) (*AddressSummary, error) {
	s, err := a.summary(ctx)
	if err != nil {
		return nil, err
	}
	return &AddressSummary{s.Found, s.ActivityCount, s.CountExact, s.LatestBlock, s.Class, s.Account, s.CreatedAt, s.DeployedAtTx, s.DeployedBy}, nil
}

// AddressIntelligence is what an address is and what it is called.
type AddressIntelligence struct {
	Found, IsDeployed bool
	Label             *string
	LabelSource       *Word
	Protocol          *Protocol
	TypeLabel         Word
	ClassHash         *starknet.Felt
	ClassLabel        *string
	HasReceivedFunds  bool
	Coverage          *Coverage
}

// Intelligence returns what the address is.
func (a *Address) Intelligence(ctx context.Context) (*AddressIntelligence, error) {
	i, err := load(ctx, a.peers, edge{field: "Address.intelligence"}, a, func(ctx context.Context, list []*Address) ([]address.Intelligence, error) {
		return a.h.Addresses.Intelligence(ctx, a.chain, felts(list))
	})
	if err != nil {
		return nil, err
	}
	known := &AddressIntelligence{
		Found: i.Found, IsDeployed: i.Deployed, Protocol: protocolOf(i.Label), TypeLabel: Word(i.Type), ClassHash: i.Class,
		ClassLabel: i.ClassLabel, HasReceivedFunds: i.ReceivedFunds, Coverage: coverageOf(i.Coverage),
	}
	if i.Label != nil {
		known.Label, known.LabelSource = &i.Label.Text, wordOrNil(i.Label.Source)
	}
	return known, nil
}
