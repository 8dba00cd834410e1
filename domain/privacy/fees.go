package privacy

import (
	"cmp"
	"slices"

	"astrolabe/domain/facts"
	"astrolabe/starknet"
)

// STRK is the token in which pools charge their fee. It has the same address on
// every chain.
var STRK = starknet.MustFelt("0x4718f5a0fc34cc1af16a1cdee98ffb20c31f5cd61d6ab07201858f4287c938d")

// FeeSetting is an event by which a pool changed its fee. It is in force from
// the place of the event on.
type FeeSetting struct {
	Pool    starknet.Felt
	At      Place
	Variant facts.PoolVariant // FeeCollectorSet or FeeAmountSet
	// Collector is what a FeeCollectorSet set, and Amount what a FeeAmountSet
	// set. It is nil when the event could not be read whole: then nobody knows
	// what is in force until the next one.
	Collector *starknet.Felt
	Amount    *starknet.Uint256
}

// FeeTransfer is an ERC-20 transfer in a transaction with events of a pool.
type FeeTransfer struct {
	At     Place // of its event
	Index  int   // within the event
	Token  starknet.Felt
	To     starknet.Felt
	Amount starknet.Uint256
}

// Fee is a fee of a pool, proven by the transfer that paid it and by the two
// settings in force at that transfer.
type Fee struct {
	Token, Collector starknet.Felt
	Amount           starknet.Uint256
	TransferLog      int
	TransferIndex    int
	CollectorSet     Place
	AmountSet        Place
}

// Fees returns the proven fees by the place of the event that each belongs to.
//
// A fee is a transfer of STRK to the collector in force, of exactly the amount
// in force, which is not zero, if the transaction has a later event of that
// pool. In force is the newest setting before the transfer; settings of earlier
// blocks must be among the given ones. A fee belongs to the first event of its
// pool after the transfer, and a transfer is at most one fee: where it fits two
// pools, that of the pool whose event comes first. For that to hold, the first
// event of each pool after each transfer must be among the given ones. Whatever
// is given twice counts once.
func Fees(settings []FeeSetting, transfers []FeeTransfer, events []PoolPlace) map[Place][]Fee {
	pools := feeHistories(settings, events)
	transfers = slices.Clone(transfers)
	slices.SortFunc(transfers, func(a, b FeeTransfer) int {
		return cmp.Or(a.At.Compare(b.At), cmp.Compare(a.Index, b.Index))
	})
	transfers = slices.Compact(transfers)
	fees := map[Place][]Fee{}
	for _, t := range transfers {
		var (
			first Place
			paid  *Fee
		)
		for _, pool := range pools {
			at, followed := pool.eventAfter(t.At)
			if !followed || paid != nil && at.Compare(first) > 0 {
				continue
			}
			if fee := pool.fee(t); fee != nil {
				first, paid = at, fee
			}
		}
		if paid != nil {
			fees[first] = append(fees[first], *paid)
		}
	}
	return fees
}

// feeHistory is what a pool charged when, and where its events are, each from
// the oldest.
type feeHistory struct {
	collectors, amounts []FeeSetting
	events              []Place
}

func feeHistories(settings []FeeSetting, events []PoolPlace) map[starknet.Felt]*feeHistory {
	pools := map[starknet.Felt]*feeHistory{}
	for _, e := range events {
		if pools[e.Pool] == nil {
			pools[e.Pool] = &feeHistory{}
		}
		pools[e.Pool].events = append(pools[e.Pool].events, e.At)
	}
	for _, s := range settings {
		switch pool := pools[s.Pool]; {
		case pool == nil: // without events there are no fees
		case s.Variant == facts.FeeCollectorSet:
			pool.collectors = append(pool.collectors, s)
		case s.Variant == facts.FeeAmountSet:
			pool.amounts = append(pool.amounts, s)
		}
	}
	byPlace := func(a, b FeeSetting) int { return a.At.Compare(b.At) }
	for _, pool := range pools {
		slices.SortFunc(pool.collectors, byPlace)
		slices.SortFunc(pool.amounts, byPlace)
		slices.SortFunc(pool.events, Place.Compare)
	}
	return pools
}

// fee returns the fee that a transfer is, nil if it is none.
func (h *feeHistory) fee(t FeeTransfer) *Fee {
	collector, amount := inForce(h.collectors, t.At), inForce(h.amounts, t.At)
	if collector == nil || collector.Collector == nil || amount == nil || amount.Amount == nil {
		return nil
	}
	if t.Token != STRK || t.To != *collector.Collector || t.Amount != *amount.Amount || t.Amount == (starknet.Uint256{}) {
		return nil
	}
	return &Fee{
		Token: t.Token, Collector: t.To, Amount: t.Amount, TransferLog: t.At.Log, TransferIndex: t.Index,
		CollectorSet: collector.At, AmountSet: amount.At,
	}
}

// eventAfter returns the first event after a place in the same transaction.
func (h *feeHistory) eventAfter(at Place) (Place, bool) {
	i, _ := slices.BinarySearchFunc(h.events, Place{Block: at.Block, Tx: at.Tx, Log: at.Log + 1}, Place.Compare)
	if i == len(h.events) || h.events[i].Block != at.Block || h.events[i].Tx != at.Tx {
		return Place{}, false
	}
	return h.events[i], true
}

// inForce returns the newest of ordered settings before a place, nil if there is
// none.
func inForce(settings []FeeSetting, at Place) *FeeSetting {
	i, _ := slices.BinarySearchFunc(settings, at, func(s FeeSetting, at Place) int { return s.At.Compare(at) })
	if i == 0 {
		return nil
	}
	return &settings[i-1]
}
