package event

import (
	"testing"

	"astrolabe/domain"
	"astrolabe/starknet"
)

// TestMessageNamesTheArgumentThatWasSent has keys without bounds and without a
// first key, by position and by one argument for all, and too many first keys by
// either of their arguments.
func TestMessageNamesTheArgumentThatWasSent(t *testing.T) {
	t.Parallel()
	one := []starknet.Felt{starknet.FeltFromUint64(1)}
	unbounded, unanchored := Filter{Addresses: one}, Filter{Addresses: one}
	unbounded.Topics[0], unbounded.Topics[3], unanchored.Topics[2] = one, one, one
	named := unbounded
	named.KeyArgument = "key"
	var many Filter
	for i := range uint64(MaxDistinct + 1) {
		many.Topics[0] = append(many.Topics[0], starknet.FeltFromUint64(i))
	}
	alias := many
	alias.FirstArgument = "selector"
	for want, filter := range map[string]Filter{
		"A search requires topic0 or address.":                    {},
		"topic0 accepts at most 128 distinct values, got 129.":    many,
		"selector accepts at most 128 distinct values, got 129.":  alias,
		"topic3 requires both fromBlock and toBlock.":             unbounded,
		"key requires both fromBlock and toBlock.":                named,
		"topic2 requires topic0; an address alone is not enough.": unanchored,
	} {
		if err := filter.check(); err == nil || err.Error() != "invalid_request: "+want {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

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
				t.Errorf("got %v, want %s", err, domain.CodeInvalidRequest)
			}
			return
		}
		normal := filter.normal()
		switch {
		case len(normal.Topics[0])+len(normal.Addresses) == 0:
			t.Errorf("got %+v, want an address or a topic0", normal)
		case normal.hasKeys() && (len(normal.Topics[0]) == 0 || filter.From == nil || filter.To == nil):
			t.Errorf("got %+v, want keys only with topic0 and bounds", normal)
		case len(normal.Addresses) > MaxAddresses || normal.hasKeys() != filter.hasKeys() || normal.check() != nil:
			t.Errorf("%+v: got %+v, want a valid filter of the same keys", filter, normal)
		}
		span := spanOf(filter.From, filter.To, nil)
		if span.From.Block > lastBlock || span.Before.Block > lastBlock {
			t.Errorf("got %+v, want a span up to block %d", span, lastBlock)
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
			t.Errorf("got a list that continues at %+v, want %+v", span.Before, place)
		}
	})
}
