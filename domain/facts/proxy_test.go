package facts

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"astrolabe/starknet"
)

// cairo0Class makes a Cairo 0 class; the text is its identity.
func cairo0Class(text string) *Class {
	return StoredClass(starknet.Keccak([]byte(text)), false, []byte(text), false)
}

// cairo0Functions is the ABI of a Cairo 0 class with functions and no events.
func cairo0Functions(names ...string) string {
	text := "["
	for i, name := range names {
		if i > 0 {
			text += ","
		}
		text += `{"type":"function","name":"` + name + `","inputs":[],"outputs":[]}`
	}
	return text + "]"
}

func TestAProxyIsAReviewedClassOrACairo0ClassWithADefault(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		class *Class
		want  int
	}{
		"no class":                        {nil, 0},
		"Cairo 0 with __default__":        {cairo0Class(proxyABI), len(ProxyFamilies)},
		"Cairo 0 without":                 {cairo0Class(cairo0ERC20), 0},
		"Sierra":                          {abiClass(proxyABI), 0},
		"reviewed, without a known ABI":   {StoredClass(ProxyFamilies[0].Reviewed[0], false, nil, false), 1},
		"another class without known ABI": {StoredClass(felt(1), false, nil, false), 0},
	} {
		if got := len(test.class.Families()); got != test.want {
			t.Errorf("%s: %d families, want %d", name, got, test.want)
		}
	}
}

func TestAnEventOfAProxyIsThatOfItsImplementation(t *testing.T) {
	t.Parallel()
	proxy, erc20, erc721 := cairo0Class(proxyABI), cairo0Class(cairo0ERC20), cairo0Class(cairo0ERC721)
	plain := cairo0Class(cairo0Functions("increase"))
	functions20 := cairo0Class(cairo0Functions("decimals", "transfer", "balanceOf", "totalSupply"))
	functions721 := cairo0Class(cairo0Functions("ownerOf", "balanceOf", "transferFrom", "tokenURI"))
	event := Event{Event: starknet.Event{Keys: felts("Transfer"), Data: felts(7, 8, 9, 0)}}
	for name, test := range map[string]struct {
		runtime Runtime
		want    Standard
	}{
		"ERC-20":                          {Runtime{proxy, proxy, erc20, erc20}, ERC20},
		"ERC-721":                         {Runtime{proxy, proxy, erc721, erc721}, ERC721},
		"functions of an ERC-20":          {Runtime{proxy, proxy, functions20, functions20}, ERC20},
		"functions of an ERC-721":         {Runtime{proxy, proxy, functions721, functions721}, ERC721},
		"functions of neither":            {Runtime{proxy, proxy, plain, plain}, ""},
		"unknown implementation":          {Runtime{Before: proxy, After: proxy}, ""},
		"initialised in the block":        {Runtime{proxy, proxy, nil, erc20}, ERC20},
		"deployed and initialised":        {Runtime{nil, proxy, nil, erc20}, ERC20},
		"upgraded, the same":              {Runtime{proxy, proxy, erc20, functions20}, ERC20},
		"upgraded, another standard":      {Runtime{proxy, proxy, erc20, erc721}, ""},
		"emptied in the block":            {Runtime{proxy, proxy, erc20, nil}, ERC20},
		"replaced by a plain class":       {Runtime{proxy, erc20, erc20, nil}, ERC20},
		"replaced by another plain class": {Runtime{proxy, erc721, erc20, nil}, ""},
		"the slot of a plain class":       {Runtime{plain, plain, erc20, erc20}, ""},
	} {
		var got Standard
		rows, unread := Transfers([]Event{event}, always(test.runtime))
		for _, row := range rows {
			got = row.Standard
		}
		if got != test.want || (len(unread) > 0) != (test.want == "") {
			t.Errorf("%s: %q with evidence %v, want %q", name, got, unread, test.want)
		}
	}
}

func TestTheImplementationInForceIsThatOfTheHistory(t *testing.T) {
	t.Parallel()
	proxy, first, second := cairo0Class(proxyABI), cairo0Class(cairo0ERC20), cairo0Class(cairo0ERC721)
	token, target := felt(1), felt(2)
	view := HistoryView{
		Histories: map[starknet.Felt]ClassHistory{
			token:  {{10, Deployed, proxy.Hash}, {50, Replaced, second.Hash}},
			target: {{5, Deployed, first.Hash}, {35, Replaced, second.Hash}},
		},
		Classes: map[starknet.Felt]*Class{proxy.Hash: proxy, first.Hash: first, second.Hash: second},
		Implementations: map[starknet.Felt]ImplementationHistory{token: {
			{10, Replaced, OpenZeppelinClass, Executed{Class: &first.Hash}},
			{20, Replaced, OpenZeppelinClass, Executed{Class: &second.Hash}},
			{30, Replaced, OpenZeppelinClass, Executed{}},
			{30, Replaced, WalletProxy, Executed{Contract: &target}},
			{40, Replaced, OpenZeppelinClass, Executed{Class: &first.Hash}},
		}},
	}
	for block, want := range map[uint64]Runtime{
		9:  {},
		10: {nil, proxy, nil, first},
		11: {proxy, proxy, first, first},
		20: {proxy, proxy, first, second},
		30: {proxy, proxy, second, first},
		35: {proxy, proxy, first, second},
		36: {proxy, proxy, second, second},
		40: {proxy, proxy, second, nil}, // two slots are set from now on
		41: {proxy, proxy, nil, nil},
		50: {proxy, second, nil, nil},
		51: {second, second, nil, nil},
	} {
		view.Block = block
		if got := view.Runtime(token); got != want {
			t.Errorf("at block %d: %+v, want %+v", block, got, want)
		}
	}
}

// known is a chain with some classes and contracts.
type known struct{ classes, contracts []starknet.Felt }

func (k known) HasClass(hash starknet.Felt) (bool, error) {
	if hash == felt(99) {
		return false, errors.New("no answer")
	}
	return contains(k.classes, hash), nil
}
func (k known) HasContract(address starknet.Felt) (bool, error) {
	return contains(k.contracts, address), nil
}

func contains(list []starknet.Felt, f starknet.Felt) bool {
	for _, member := range list {
		if member == f {
			return true
		}
	}
	return false
}

func TestASlotIsReadAsItsFamilyUsesIt(t *testing.T) {
	t.Parallel()
	class, contract, other := felt(3), felt(4), felt(5)
	chain := known{felts(3), felts(4)}
	for i := range ProxyFamilies {
		f := &ProxyFamilies[i]
		for value, want := range map[starknet.Felt]Executed{{}: {}, other: {}, class: {Class: &class}, contract: {Contract: &contract}} {
			if !f.HoldsClass && want.Class != nil || !f.HoldsContract && want.Contract != nil {
				want = Executed{}
			}
			got, err := f.Resolve(value, chain)
			if diff := cmp.Diff(want, got); err != nil || diff != "" {
				t.Errorf("%s holds %s: %v (-want +got):\n%s", f.Family, value, err, diff)
			}
		}
	}
	if _, err := ProxyFamilies[1].Resolve(felt(99), chain); err == nil {
		t.Error("got no error, want that of the chain")
	}
}

func TestObservedSlotsAreThoseThatAreSet(t *testing.T) {
	t.Parallel()
	class := felt(3)
	for name, test := range map[string]struct {
		slot starknet.Felt
		want []Implementation
	}{
		"one":  {ProxyFamilies[2].Slot, []Implementation{{felt(1), Observed, OpenZeppelinClass, Executed{Class: &class}}}},
		"none": {felt(0), []Implementation{{Address: felt(1), Origin: Observed, Family: ProxyFamilies[0].Family}}},
	} {
		got, err := ObserveSlots(felt(1), ProxyFamilies, func(slot starknet.Felt) (starknet.Felt, error) {
			if slot == test.slot {
				return class, nil
			}
			return starknet.Felt{}, nil
		}, known{classes: felts(3)})
		if diff := cmp.Diff(test.want, got); err != nil || diff != "" {
			t.Errorf("%s: %v (-want +got):\n%s", name, err, diff)
		}
	}
}

func TestAProxyIsATokenFromItsImplementationOn(t *testing.T) {
	t.Parallel()
	proxy, erc20 := cairo0Class(proxyABI), cairo0Class(cairo0Functions("decimals", "transfer", "balanceOf", "totalSupply"))
	at := always{proxy, proxy, nil, erc20}
	got := Tokens(nil, []Implementation{{Address: felt(1), Origin: Replaced, Family: WalletProxy, Executed: Executed{Class: &erc20.Hash}}}, nil, at)
	if diff := cmp.Diff([]Token{{felt(1), ERC20}}, got); diff != "" {
		t.Errorf("tokens (-want +got):\n%s", diff)
	}
}

func TestEveryWriteToASlotMustBeResolved(t *testing.T) {
	t.Parallel()
	diff := starknet.StateDiff{StorageDiffs: []starknet.StorageDiff{{Address: felt(1), StorageEntries: []starknet.StorageEntry{
		{Key: felt(7), Value: felt(8)}, {Key: ProxyFamilies[2].Slot, Value: felt(3)},
	}}}}
	if _, err := Derive(blockOf(), updateOf(diff), Lookups{}, unknown{}); !errors.Is(err, ErrContradiction) {
		t.Errorf("got %v, want %v", err, ErrContradiction)
	}
	rows, err := ResolveWrites(SlotWrites(&diff), known{classes: felts(3)})
	if err != nil {
		t.Fatal(err)
	}
	b, err := Derive(blockOf(), updateOf(diff), Lookups{Implementations: rows}, unknown{})
	if err != nil || len(b.Implementations) != 1 || *b.Implementations[0].Class != felt(3) {
		t.Errorf("got %+v, %v, want one implementation of class 0x3", b.Implementations, err)
	}
	if _, err := Derive(blockOf(), updateOf(diff), Lookups{Implementations: append(rows, rows...)}, unknown{}); !errors.Is(err, ErrContradiction) {
		t.Errorf("twice: got %v, want %v", err, ErrContradiction)
	}
}
