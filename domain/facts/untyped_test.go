package facts

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"astrolabe/starknet"
)

var (
	alice = starknet.MustFelt("0x2222222222222222222222222222222222222222222222222222222222222a1")
	bob   = starknet.MustFelt("0x2222222222222222222222222222222222222222222222222222222222222b0")
)

func TestAnEventIsUntypedUnlessItsABISaysWhatItIs(t *testing.T) {
	t.Parallel()
	felt252 := "core::felt252"
	for name, test := range map[string]struct {
		class      *Class
		keys, data []starknet.Felt
		want       bool
	}{
		"unknown class, legacy":            {nil, felts("Transfer"), felts(alice, bob, 9, 0), true},
		"unknown class, keyed":             {nil, felts("Transfer", alice, bob), felts(9, 0), false},
		"unknown class, amount of a felt":  {nil, felts("Transfer"), felts(alice, bob, 9), true},
		"unknown class, no quantity":       {nil, felts("Transfer"), felts(alice, bob), false},
		"not a transfer's selector":        {nil, felts("Approval"), felts(alice, bob, 9, 0), false},
		"declared as a transfer":           {abiClass(cairo0ERC20), felts("Transfer"), felts(alice, bob, 9, 0), false},
		"declared, but another payload":    {abiClass(cairo0ERC20), felts("Transfer"), felts(alice, bob, 9), true},
		"declared as something else":       {abiClass(eventABI([]string{"Transfer"}, []field{{"domain", felt252, "key"}, {"year", felt252, "data"}})), felts("Transfer", alice), felts(9), false},
		"declared with an amount of felts": {abiClass(eventABI([]string{"Transfer"}, with(keyed, field{"value", felt252, "data"}))), felts("Transfer", alice, bob), felts(9), true},
		"declared without telling names": {abiClass(eventABI([]string{"Transfer"}, []field{{"a", address, "key"}, {"b", address, "key"}, {"c", u256, "data"}})),
			felts("Transfer", alice, bob), felts(9, 0), true},
	} {
		_, got := Transfers([]Event{{Event: starknet.Event{FromAddress: felt(1), Keys: test.keys, Data: test.data}}}, always{Before: test.class, After: test.class})
		if (len(got) > 0) != test.want {
			t.Errorf("%s: evidence %v, want some: %t", name, got, test.want)
		}
	}
}

func TestEvidenceNamesTheContractAndEveryPossibleParty(t *testing.T) {
	t.Parallel()
	token, large := felt(1), starknet.MustFelt("0x7ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff")
	beyond := starknet.MustFelt("0x800000000000000000000000000000000000000000000000000000000000000")
	event := func(keys []starknet.Felt, data ...any) Event {
		return Event{Event: starknet.Event{FromAddress: token, Keys: keys, Data: felts(data...)}}
	}
	for name, test := range map[string]struct {
		events []Event
		want   []UntypedTransfer
	}{
		"sender and recipient": {[]Event{event(felts("Transfer"), alice, bob, 9, 0)},
			[]UntypedTransfer{{token, UntypedContract, 1}, {alice, UntypedParty, 1}, {bob, UntypedParty, 1}}},
		"a mint": {[]Event{event(felts("Transfer"), 0, bob, 9, 0)},
			[]UntypedTransfer{{felt(0), UntypedParty, 1}, {token, UntypedContract, 1}, {bob, UntypedParty, 1}}},
		"small addresses count, quantities do not": {[]Event{event(felts("Transfer"), 2, 3, 4, 5)},
			[]UntypedTransfer{{token, UntypedContract, 1}, {felt(2), UntypedParty, 1}, {felt(3), UntypedParty, 1}}},
		"behind an operator": {[]Event{event(felts("TransferSingle"), large, alice, bob, 1, 0, 2, 0)},
			[]UntypedTransfer{{token, UntypedContract, 1}, {alice, UntypedParty, 1}, {bob, UntypedParty, 1}, {large, UntypedParty, 1}}},
		"in keys, nested": {[]Event{event(felts("ERC20Event", "Transfer", alice), bob, 9, 0)},
			[]UntypedTransfer{{token, UntypedContract, 1}, {alice, UntypedParty, 1}, {bob, UntypedParty, 1}}},
		"no address": {[]Event{event(felts("Transfer"), beyond, bob, 9, 0)},
			[]UntypedTransfer{{token, UntypedContract, 1}, {bob, UntypedParty, 1}}},
		"several, and to oneself": {[]Event{event(felts("Transfer"), alice, alice, 9, 0), event(felts("Transfer"), bob, token, 9, 0)},
			[]UntypedTransfer{{token, UntypedContract, 2}, {token, UntypedParty, 1}, {alice, UntypedParty, 1}, {bob, UntypedParty, 1}}},
	} {
		_, got := Transfers(test.events, unknown{})
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}
