package privacy

import (
	"slices"

	"astrolabe/domain"
	"astrolabe/domain/token"
	"astrolabe/starknet"
)

// LedgerStatus says whether an answer of the ledger may be published. Only a
// complete one may.
type LedgerStatus string

// The statuses.
const (
	Complete    LedgerStatus = "complete"
	Degraded    LedgerStatus = "degraded"
	Unavailable LedgerStatus = "unavailable"
)

// LedgerReason is why an answer of the ledger has its status.
type LedgerReason string

// The reasons.
const (
	// ReasonLedger is the reason of everything that is complete.
	ReasonLedger LedgerReason = "finalized_public_flow_ledger"

	// ReasonIncomplete: the ledger lacks flows or amounts, or an asset is
	// degraded.
	ReasonIncomplete LedgerReason = "incomplete_finalized_flow_ledger"
	// ReasonLag: finalized blocks wait for the ledger.
	ReasonLag LedgerReason = "decoded_materialization_lag"
	// ReasonFreshness: nobody knows how many finalized blocks wait.
	ReasonFreshness LedgerReason = "materialization_freshness_unavailable"
	// ReasonNoSnapshot: there is no ledger, or no event of a pool in it.
	ReasonNoSnapshot LedgerReason = "no_finalized_flow_snapshot"

	// ReasonAmounts: the asset has flows whose amount could not be read.
	ReasonAmounts LedgerReason = "amount_decode_incomplete"
	// ReasonNegative: more flowed out than in.
	ReasonNegative LedgerReason = "negative_protected_amount"
)

// Asset is what flowed of a token through the pools of a chain.
type Asset struct {
	Token starknet.Felt
	token.Metadata
	LedgerFlow
	Pools uint64 // through which it flowed
}

// Net returns what flowed in minus what flowed out. It is not a balance.
func (a *Asset) Net() domain.Amount {
	return domain.AmountFromBig(a.Deposited.Big()).Sub(domain.AmountFromBig(a.Withdrawn.Big()))
}

// Status returns whether the asset may be published, and why.
func (a *Asset) Status() (LedgerStatus, LedgerReason) {
	switch {
	case a.Missing > 0:
		return Degraded, ReasonAmounts
	case a.Net().Sign() < 0:
		return Degraded, ReasonNegative
	default:
		return Complete, ReasonLedger
	}
}

// Decimal renders the net in whole tokens. It is nil if the asset is degraded or
// its decimals are not known.
func (a *Asset) Decimal() *string {
	if status, _ := a.Status(); status != Complete || a.Decimals == nil {
		return nil
	}
	return new(a.Net().Decimal(*a.Decimals))
}

// incomplete reports whether sums of the ledger are not what the pools' events
// moved: they lack history, events of another version, or amounts.
func (v *LedgerView) incomplete(missing uint64, assets []Asset) bool {
	return !v.Whole || !v.Current || missing > 0 || slices.ContainsFunc(assets, func(a Asset) bool {
		status, _ := a.Status()
		return status != Complete
	})
}
