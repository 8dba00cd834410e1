package token

import (
	"testing"

	"astrolabe/starknet"
)

func TestAPoolsEvidenceIsTheEventOfItsFactory(t *testing.T) {
	t.Parallel()
	factory, tx, class := starknet.FeltFromUint64(1), starknet.FeltFromUint64(2), starknet.FeltFromUint64(3)
	pool := Pool{Factory: &Factory{Address: factory, Event: "PairCreated"}, Class: &class, TxHash: tx, Log: 4}
	if got, want := pool.Evidence(), (PoolEvidence{"factory_event", factory, "PairCreated", tx, 4, class}); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

func TestATokenWithoutMetadataHasNoSymbol(t *testing.T) {
	t.Parallel()
	named, nameless := starknet.FeltFromUint64(1), starknet.FeltFromUint64(2)
	list := PoolList{Symbols: map[starknet.Felt]string{named: "STRK"}}
	if got := list.Symbol(named); got == nil || *got != "STRK" {
		t.Errorf("got the symbol %v, want STRK", got)
	}
	if got := list.Symbol(nameless); got != nil {
		t.Errorf("got the symbol %s, want none", *got)
	}
}
