package privacy

import (
	"maps"

	"astrolabe/domain/facts"
	"astrolabe/starknet"
)

// fold is a fold in progress.
type fold struct {
	changes *LedgerChanges
	pools   map[starknet.Felt]bool
	known   map[starknet.Felt]bool // wallets from before
	assets  map[AssetKey]LedgerAsset
	tokens  map[starknet.Felt]LedgerFlow // of all pools
	fees    map[Place][]Fee              // by the event that each belongs to
}

func newFold(state LedgerState, step LedgerStep) (f *fold, err error) {
	f = &fold{
		changes: NewLedgerChanges(), pools: map[starknet.Felt]bool{}, known: state.Wallets, assets: state.Assets,
		tokens: map[starknet.Felt]LedgerFlow{}, fees: stepFees(state.Settings, step),
	}
	f.changes.Ledger = state.Ledger
	maps.Copy(f.pools, state.Pools)
	for key, asset := range state.Assets {
		if f.tokens[key.Token], err = f.tokens[key.Token].add(asset.LedgerFlow); err != nil {
			return nil, err
		}
	}
	return f, nil
}

// stepFees returns the fees of a step's transactions by the event that each
// belongs to.
func stepFees(before []FeeSetting, step LedgerStep) map[Place][]Fee {
	settings, places := append([]FeeSetting(nil), before...), make([]PoolPlace, len(step.Events))
	for i := range step.Events {
		e := &step.Events[i]
		places[i] = PoolPlace{e.Pool, e.At}
		if e.Variant == facts.FeeCollectorSet || e.Variant == facts.FeeAmountSet {
			settings = append(settings, e.FeeSetting())
		}
	}
	return Fees(settings, step.Transfers, places)
}

// FeeSetting returns what an event set, which must be a FeeCollectorSet or a
// FeeAmountSet.
func (e *LedgerEvent) FeeSetting() FeeSetting {
	s := FeeSetting{Pool: e.Pool, At: e.At, Variant: e.Variant}
	if e.Reading == facts.PoolRead {
		s.Collector, s.Amount = e.Party, e.Amount
	}
	return s
}
