package privacy_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"astrolabe/domain/facts"
	"astrolabe/domain/privacy"
	"astrolabe/starknet"
)

var (
	pool, otherPool = starknet.FeltFromUint64(0x900), starknet.FeltFromUint64(0x901)
	collector       = starknet.FeltFromUint64(0xc0)
	newCollector    = starknet.FeltFromUint64(0xc1)
)

func units(n byte) starknet.Uint256 { return starknet.Uint256{31: n} }

func at(block uint64, tx, log int) privacy.Place {
	return privacy.Place{Block: block, Tx: tx, Log: log}
}

func collectorSet(at privacy.Place, to *starknet.Felt) privacy.FeeSetting {
	return privacy.FeeSetting{Pool: pool, At: at, Variant: facts.FeeCollectorSet, Collector: to}
}

func amountSet(at privacy.Place, amount *starknet.Uint256) privacy.FeeSetting {
	return privacy.FeeSetting{Pool: pool, At: at, Variant: facts.FeeAmountSet, Amount: amount}
}

func paid(at privacy.Place, to starknet.Felt, amount byte) privacy.FeeTransfer {
	return privacy.FeeTransfer{At: at, Token: privacy.STRK, To: to, Amount: units(amount)}
}

func poolEvents(places ...privacy.Place) []privacy.PoolPlace {
	events := make([]privacy.PoolPlace, len(places))
	for i, place := range places {
		events[i] = privacy.PoolPlace{Pool: pool, At: place}
	}
	return events
}

func TestAFeeIsAStrkTransferOfTheAmountInForceToTheCollectorInForce(t *testing.T) {
	t.Parallel()
	var (
		configured = []privacy.FeeSetting{collectorSet(at(1, 0, 0), &collector), amountSet(at(1, 0, 1), new(units(6)))}
		set        = func(more ...privacy.FeeSetting) []privacy.FeeSetting { return append(configured[:2:2], more...) }
		fee        = privacy.Fee{
			Token: privacy.STRK, Collector: collector, Amount: units(6), TransferLog: 2, TransferIndex: 0,
			CollectorSet: at(1, 0, 0), AmountSet: at(1, 0, 1),
		}
		after    = poolEvents(at(5, 3, 4), at(5, 3, 5))
		transfer = paid(at(5, 3, 2), collector, 6)
		other    = transfer
	)
	other.Token = starknet.FeltFromUint64(7)
	for name, c := range map[string]struct {
		settings []privacy.FeeSetting
		transfer privacy.FeeTransfer
		events   []privacy.PoolPlace
		want     map[privacy.Place][]privacy.Fee
	}{
		"the fee in force":                {set(), transfer, after, map[privacy.Place][]privacy.Fee{at(5, 3, 4): {fee}}},
		"a pool without a collector":      {configured[1:], transfer, after, nil},
		"a pool without an amount":        {configured[:1], transfer, after, nil},
		"another amount":                  {set(), paid(transfer.At, collector, 7), after, nil},
		"another recipient":               {set(), paid(transfer.At, newCollector, 6), after, nil},
		"another token":                   {set(), other, after, nil},
		"a fee of zero":                   {set(amountSet(at(2, 0, 0), new(units(0)))), paid(transfer.At, collector, 0), after, nil},
		"no event in the transaction":     {set(), transfer, poolEvents(at(5, 2, 9), at(5, 4, 0)), nil},
		"only an earlier event":           {set(), transfer, poolEvents(at(5, 3, 1)), nil},
		"an amount that was set later":    {set(amountSet(at(5, 3, 3), new(units(9)))), transfer, after, map[privacy.Place][]privacy.Fee{at(5, 3, 4): {fee}}},
		"a collector that was set before": {set(collectorSet(at(5, 3, 1), &newCollector)), transfer, after, nil},
		"a setting that was not read":     {set(amountSet(at(4, 0, 0), nil)), transfer, after, nil},
		"a setting that was read since":   {set(amountSet(at(4, 0, 0), nil), amountSet(at(4, 0, 1), new(units(9)))), transfer, after, nil},
		"settings of another pool":        {set(), transfer, []privacy.PoolPlace{{Pool: otherPool, At: at(5, 3, 4)}}, nil},
		"settings in the transaction itself": {
			[]privacy.FeeSetting{collectorSet(at(5, 3, 0), &collector), amountSet(at(5, 3, 1), new(units(6)))}, transfer, after,
			map[privacy.Place][]privacy.Fee{at(5, 3, 4): {{
				Token: privacy.STRK, Collector: collector, Amount: units(6), TransferLog: 2, CollectorSet: at(5, 3, 0), AmountSet: at(5, 3, 1),
			}}},
		},
	} {
		got := privacy.Fees(c.settings, []privacy.FeeTransfer{c.transfer}, c.events)
		if c.want == nil {
			c.want = map[privacy.Place][]privacy.Fee{}
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s: got other fees than wanted (-want +got):\n%s", name, diff)
		}
	}
}

func TestEachFeeBelongsToOneEvent(t *testing.T) {
	t.Parallel()
	settings := []privacy.FeeSetting{
		amountSet(at(1, 0, 1), new(units(6))), collectorSet(at(1, 0, 0), &collector),
		{Pool: otherPool, At: at(1, 1, 0), Variant: facts.FeeCollectorSet, Collector: &collector},
		{Pool: otherPool, At: at(1, 1, 1), Variant: facts.FeeAmountSet, Amount: new(units(6))},
	}
	// Two calls of the pool, each with a fee, and one of the other pool between
	// them. Nothing here is in order, and one transfer is there twice.
	transfers := []privacy.FeeTransfer{
		paid(at(5, 0, 7), collector, 6), paid(at(5, 0, 0), collector, 6), paid(at(5, 0, 4), collector, 6), paid(at(5, 0, 7), collector, 6),
	}
	events := append(poolEvents(at(5, 0, 9), at(5, 0, 2), at(5, 0, 1), at(5, 0, 8)), privacy.PoolPlace{Pool: otherPool, At: at(5, 0, 5)})
	got := map[privacy.Place][]int{}
	for place, fees := range privacy.Fees(settings, transfers, events) {
		for _, fee := range fees {
			got[place] = append(got[place], fee.TransferLog)
		}
	}
	want := map[privacy.Place][]int{at(5, 0, 1): {0}, at(5, 0, 5): {4}, at(5, 0, 8): {7}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("got other transfers by event than wanted (-want +got):\n%s", diff)
	}
}
