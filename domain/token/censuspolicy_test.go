package token_test

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"astrolabe/domain/facts"
	"astrolabe/domain/token"
	"astrolabe/sim/classes"
	"astrolabe/starknet"
)

// simulated returns a class of the simulated chain.
func simulated(t *testing.T, name string) *facts.Class {
	t.Helper()
	class, err := classes.ByName(name)
	if err != nil {
		t.Fatal(err)
	}
	var document starknet.Class
	if err := json.Unmarshal(class.Document, &document); err != nil {
		t.Fatal(err)
	}
	return facts.NewClass(class.Hash, document)
}

// declared makes a Cairo 1 class of an ABI's entries.
func declared(hash uint64, entries ...string) *facts.Class {
	return facts.StoredClass(starknet.FeltFromUint64(hash), true, []byte("["+strings.Join(entries, ",")+"]"), false)
}

const (
	abiU256     = `{"type":"struct","name":"core::integer::u256","members":[{"name":"low","type":"core::integer::u128"},{"name":"high","type":"core::integer::u128"}]}`
	abiTransfer = `{"type":"function","name":"transfer","inputs":[],"outputs":[],"state_mutability":"external"}`
	abiBalance  = `{"type":"function","name":"balance_of","inputs":[],"outputs":[{"type":"core::integer::u256"}],"state_mutability":"view"}`
	abiSupply   = `{"type":"function","name":"total_supply","inputs":[],"outputs":[{"type":"core::integer::u256"}],"state_mutability":"view"}`
	abiMint     = `{"type":"function","name":"mint","inputs":[],"outputs":[],"state_mutability":"external"}`
	abiOdd      = `{"type":"function","name":"total_supply","inputs":[{"name":"id","type":"core::felt252"}],"outputs":[{"type":"core::integer::u256"}],"state_mutability":"view"}`
	abiEvent    = `{"type":"event","name":"t::Transfer","kind":"struct","members":[{"name":"from","type":"core::starknet::contract_address::ContractAddress","kind":"KIND"},{"name":"to","type":"core::starknet::contract_address::ContractAddress","kind":"KIND"},{"name":"value","type":"core::integer::u256","kind":"data"}]}`
	abiStrange  = `{"type":"event","name":"t::Transfer","kind":"struct","members":[{"name":"note","type":"core::felt252","kind":"data"}]}`
	abiEvents   = `{"type":"event","name":"t::Event","kind":"enum","variants":[{"name":"Transfer","type":"t::Transfer","kind":"nested"}]}`
)

func TestATokenQualifiesOnlyIfEveryClassOfItsLifeFixesItsTransfers(t *testing.T) {
	t.Parallel()
	keyedEvent, plainEvent := strings.ReplaceAll(abiEvent, "KIND", "key"), strings.ReplaceAll(abiEvent, "KIND", "data")
	keyed := declared(1, abiU256, abiTransfer, abiBalance, abiSupply, keyedEvent, abiEvents)
	same := declared(2, abiU256, abiTransfer, abiBalance, abiSupply, keyedEvent, abiEvents, abiMint)
	plain := declared(3, abiU256, abiTransfer, abiBalance, abiSupply, plainEvent, abiEvents)
	silent := declared(4, abiU256, abiTransfer, abiBalance, abiSupply)
	strange := declared(5, abiU256, abiTransfer, abiBalance, abiSupply, abiStrange, abiEvents)
	odd := declared(6, abiU256, abiTransfer, abiBalance, abiOdd, keyedEvent, abiEvents)
	unreadable := facts.StoredClass(starknet.FeltFromUint64(7), true, []byte("no ABI"), false)
	missing := facts.MissingClass(starknet.FeltFromUint64(8))
	for name, c := range map[string]struct {
		want string
		life []*facts.Class
	}{
		"a keyed ERC-20":                   {"", []*facts.Class{keyed}},
		"another class of the same layout": {"", []*facts.Class{keyed, same}},
		"the simulated tokens of today":    {"", []*facts.Class{simulated(t, "erc20_keyed")}},
		"the simulated bridged tokens":     {"", []*facts.Class{simulated(t, "erc20_legacy")}},
		"the shares of a pair":             {"", []*facts.Class{simulated(t, "amm_pair")}},
		"no history":                       {"history_incomplete", nil},
		"a class that the node lacks":      {"class_unknown", []*facts.Class{missing}},
		"an ABI that cannot be read":       {"class_unknown", []*facts.Class{unreadable}},
		"an ERC-721":                       {"not_erc20", []*facts.Class{simulated(t, "erc721_keyed")}},
		"an old ERC-721":                   {"not_erc20", []*facts.Class{simulated(t, "erc721_legacy")}},
		"an ERC-1155":                      {"not_erc20", []*facts.Class{simulated(t, "erc1155")}},
		"no token at first":                {"not_erc20", []*facts.Class{simulated(t, "upgradable_v1"), keyed}},
		"an ABI without the event":         {"transfer_layout_not_fixed", []*facts.Class{silent}},
		"another event of that name":       {"transfer_layout_not_fixed", []*facts.Class{strange}},
		"a layout that changed":            {"transfer_layout_changes", []*facts.Class{plain, keyed}},
		"a supply that takes arguments":    {"supply_not_declared", []*facts.Class{odd}},
	} {
		policy := token.JudgeCensus(lifeOf(facts.Deployed, c.life...), 77)
		if policy.Reason != c.want || policy.Qualified != (c.want == "") || policy.Block != 77 {
			t.Errorf("%s: got %+v, want the reason %q", name, policy, c.want)
		}
	}
	if policy := token.JudgeCensus(lifeOf(facts.Observed, keyed), 1); policy.Reason != "history_incomplete" {
		t.Errorf("a token from before the index: got %+v, want history_incomplete", policy)
	}
}

// lifeOf is the life of a contract that had one class after the other.
func lifeOf(origin facts.Origin, all ...*facts.Class) token.Life {
	life := token.Life{Classes: map[starknet.Felt]*facts.Class{}}
	for i, class := range all {
		life.Classes[class.Hash] = class
		life.History = append(life.History, facts.ClassSince{Block: uint64(i), Origin: origin, Class: class.Hash})
		origin = facts.Replaced
	}
	return life
}

// TestTheCriteriaAreDocumented keeps the policy and its page equal.
func TestTheCriteriaAreDocumented(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../docs/census.md")
	if err != nil {
		t.Fatal(err)
	}
	for i, criterion := range token.Criteria {
		if line := "| `" + criterion.Reason + "` | " + criterion.Requirement + " |"; !strings.Contains(string(page), line) {
			t.Errorf("docs/census.md: got no line of criterion %d, want\n%s", i+1, line)
		}
	}
}

func TestAProxyQualifiesByEveryClassThatItExecuted(t *testing.T) {
	t.Parallel()
	plain := strings.ReplaceAll(abiEvent, "KIND", "data")
	first := declared(1, abiU256, abiTransfer, abiBalance, abiSupply, plain, abiEvents)
	second := declared(2, abiU256, abiTransfer, abiBalance, abiSupply, plain, abiEvents, abiMint)
	strange := declared(3, abiU256, abiTransfer, abiBalance, abiSupply, abiStrange, abiEvents)
	proxy := facts.StoredClass(starknet.FeltFromUint64(9), false, []byte(`[{"type":"function","name":"__default__","inputs":[],"outputs":[]}]`), false)
	set := func(block uint64, class *facts.Class) facts.ImplementationSince {
		return facts.ImplementationSince{Block: block, Origin: facts.Replaced, Family: facts.OpenZeppelinClass, Executed: facts.Executed{Class: &class.Hash}}
	}
	library := starknet.FeltFromUint64(70)
	byContract := facts.ImplementationSince{Block: 2, Origin: facts.Replaced, Family: facts.WalletProxy, Executed: facts.Executed{Contract: &library}}
	for name, c := range map[string]struct {
		want    string
		slots   facts.ImplementationHistory
		library facts.ClassHistory
		untyped bool
	}{
		"one implementation":             {"", facts.ImplementationHistory{set(0, first)}, nil, false},
		"one that is set later":          {"", facts.ImplementationHistory{set(3, first)}, nil, false},
		"another of the same layout":     {"", facts.ImplementationHistory{set(0, first), set(5, second)}, nil, false},
		"another without a layout":       {"transfer_layout_not_fixed", facts.ImplementationHistory{set(0, first), set(5, strange)}, nil, false},
		"none":                           {"class_unknown", nil, nil, false},
		"the class of a contract":        {"", facts.ImplementationHistory{byContract}, facts.ClassHistory{{Block: 0, Origin: facts.Deployed, Class: first.Hash}}, false},
		"a contract that was replaced":   {"transfer_layout_not_fixed", facts.ImplementationHistory{byContract}, facts.ClassHistory{{Block: 0, Origin: facts.Deployed, Class: first.Hash}, {Block: 8, Origin: facts.Replaced, Class: strange.Hash}}, false},
		"events that could not be typed": {"untyped_transfers", facts.ImplementationHistory{set(0, first)}, nil, true},
	} {
		life := lifeOf(facts.Deployed, proxy)
		for _, class := range []*facts.Class{first, second, strange} {
			life.Classes[class.Hash] = class
		}
		life.Implementations, life.Contracts, life.Untyped = c.slots, map[starknet.Felt]facts.ClassHistory{library: c.library}, c.untyped
		if policy := token.JudgeCensus(life, 77); policy.Reason != c.want {
			t.Errorf("%s: got %q, want %q", name, policy.Reason, c.want)
		}
	}
}
