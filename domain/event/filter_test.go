package event

import (
	"testing"

	"astrolabe/domain"
	"astrolabe/starknet"
)

// FuzzFilter judges any filter: it is refused as invalid_request, or it has an
// anchor, is within the limits and keeps its meaning when it is put in order.
func FuzzFilter(f *testing.F) {
	f.Add([]byte{1, 2, 3}, []byte{0, 0, 1, 1}, uint64(0), uint64(9999), uint8(3))
	f.Add([]byte{}, []byte{1}, uint64(5), uint64(4), uint8(0))
	f.Fuzz(func(t *testing.T, addresses, positions []byte, from, to uint64, bounds uint8) {
		var filter Filter
		for i, b := range addresses {
			filter.Addresses = append(filter.Addresses, starknet.FeltFromUint64(uint64(b)+uint64(i)))
		}
		for i, b := range positions {
			position := int(b) % Positions
			filter.Topics[position] = append(filter.Topics[position], starknet.FeltFromUint64(uint64(i)))
		}
		if bounds&1 != 0 {
			filter.From = &from
		}
		if bounds&2 != 0 {
			filter.To = &to
		}
		if err := filter.check(); err != nil {
			if domain.CodeOf(err) != domain.CodeInvalidRequest {
				t.Errorf("got %v", err)
			}
			return
		}
		normal := filter.normal()
		switch {
		case len(normal.Topics[0])+len(normal.Addresses) == 0:
			t.Error("it has no anchor")
		case normal.hasKeys() && (len(normal.Topics[0]) == 0 || filter.From == nil || filter.To == nil):
			t.Error("keys are searched without topic0 or without bounds")
		case len(normal.Addresses) > MaxAddresses || normal.hasKeys() != filter.hasKeys() || normal.check() != nil:
			t.Errorf("%+v became %+v", filter, normal)
		}
		span := spanOf(filter.From, filter.To, nil)
		if span.From.Block > lastBlock || span.Before.Block > lastBlock {
			t.Errorf("the span is %+v", span)
		}
	})
}

// FuzzSpan continues lists at any position.
func FuzzSpan(f *testing.F) {
	f.Add(uint64(7), uint64(8), uint64(1), uint64(0))
	f.Fuzz(func(t *testing.T, block, tx, log, from uint64) {
		place := Place{Block: block % lastBlock, Tx: int(tx % (1 << 15)), Log: int(log % (1 << 15))}
		span := spanOf(&from, nil, place.position())
		if span.Before != place {
			t.Errorf("%+v goes on at %+v", place, span.Before)
		}
	})
}
