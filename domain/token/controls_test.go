package token

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"astrolabe/domain"
	"astrolabe/domain/chain"
	"astrolabe/domain/event"
	"astrolabe/domain/facts"
	"astrolabe/starknet"
)

// abiOf is the ABI of a class with functions and events by name. A function in
// brackets is a view, an event in brackets is nested.
func abiOf(functions, events string) []byte {
	const felt = "core::felt252"
	var entries, variants []string
	for _, name := range strings.Fields(functions) {
		mutability := "external"
		if strings.HasPrefix(name, "[") {
			name, mutability = strings.Trim(name, "[]"), "view"
		}
		entries = append(entries, fmt.Sprintf(`{"type": "function", "name": %q, "inputs": [], "outputs": [], "state_mutability": %q}`, name, mutability))
	}
	for _, name := range strings.Fields(events) {
		nested := strings.HasPrefix(name, "[")
		name = strings.Trim(name, "[]")
		entries = append(entries, fmt.Sprintf(`{"type": "event", "name": "m::%s", "kind": "struct", "members": [{"name": "a", "type": %q, "kind": "data"}]}`, name, felt))
		variant := fmt.Sprintf(`{"name": %q, "type": "m::%s", "kind": "nested"}`, name, name)
		if nested {
			entries = append(entries, fmt.Sprintf(`{"type": "event", "name": "m::In%s", "kind": "enum", "variants": [%s]}`, name, variant))
			variant = fmt.Sprintf(`{"name": "In%s", "type": "m::In%s", "kind": "nested"}`, name, name)
		}
		variants = append(variants, variant)
	}
	entries = append(entries, fmt.Sprintf(`{"type": "event", "name": "m::Event", "kind": "enum", "variants": [%s]}`, strings.Join(variants, ",")))
	return []byte("[" + strings.Join(entries, ",") + "]")
}

// happened lists events, written "Name felt felt …" from the oldest on, as rows
// from the newest on.
func happened(events ...string) (h history) {
	for i, text := range events {
		words := strings.Fields(text)
		row := event.Row{Block: uint64(i), TxHash: starknet.FeltFromUint64(uint64(i)), Keys: []starknet.Felt{starknet.Selector(words[0])}}
		for j, word := range words[1:] {
			felt := starknet.Selector(word)
			if strings.HasPrefix(word, "0x") {
				felt = starknet.MustFelt(word)
			}
			if j%2 == 0 { // keys or data makes no difference
				row.Keys = append(row.Keys, felt)
			} else {
				row.Data = append(row.Data, felt)
			}
		}
		if strings.HasPrefix(words[0], "Role") {
			row.Keys, row.Data = row.Keys[:1], append(row.Data[:0:0], feltsOf(words[1:])...)
			h.roles = append([]event.Row{row}, h.roles...)
		} else {
			h.newest = append([]event.Row{row}, h.newest...)
		}
	}
	return h
}

func feltsOf(words []string) (felts []starknet.Felt) {
	for _, word := range words {
		if strings.HasPrefix(word, "0x") {
			felts = append(felts, starknet.MustFelt(word))
		} else {
			felts = append(felts, starknet.Selector(word))
		}
	}
	return felts
}

func describe(c Control) string {
	if c.Actor == nil {
		return string(c.Status)
	}
	return string(c.Status) + " " + c.Actor.String()
}

func TestControlsFollowFromClassAndEvents(t *testing.T) {
	t.Parallel()
	const everything = "mint pause set_uri upgrade"
	many := make([]string, maxRoleEvents+1)
	for i := range many {
		many[i] = fmt.Sprintf("RoleGranted MINTER_ROLE 0x%x 0x1", i+100)
	}
	for name, c := range map[string]struct {
		functions, events string
		happened          []string
		older             bool // than the index
		replaced          bool
		want              string // supply, transfer, metadata, upgrade
	}{
		"no entry point":                     {"transfer", "Transfer", nil, false, false, "absent, absent, absent, absent"},
		"views are no control":               {"[mint] [pause] [upgrade]", "", nil, false, false, "absent, absent, absent, absent"},
		"entry points":                       {everything, "", nil, false, false, "present, present, present, present"},
		"each by its own":                    {"permissioned_mint", "", nil, false, false, "present, absent, absent, absent"},
		"absent also in a partial history":   {"mint", "", nil, true, false, "unknown, absent, absent, absent"},
		"an owner":                           {everything, "OwnershipTransferred", []string{"OwnershipTransferred 0x0 0x7"}, false, false, "present 0x7, present 0x7, present 0x7, present 0x7"},
		"the newest owner":                   {"mint", "OwnershipTransferred", []string{"OwnershipTransferred 0x0 0x7", "OwnershipTransferred 0x7 0x8"}, false, false, "present 0x8, absent, absent, absent"},
		"ownership given up":                 {everything, "OwnershipTransferred", []string{"OwnershipTransferred 0x0 0x7", "OwnershipTransferred 0x7 0x0"}, false, false, "renounced, renounced, renounced, renounced"},
		"given up in a partial history":      {"mint", "OwnershipTransferred", []string{"OwnershipTransferred 0x7 0x0"}, true, false, "renounced, absent, absent, absent"},
		"owner of a partial history":         {"mint", "OwnershipTransferred", []string{"OwnershipTransferred 0x7 0x8"}, true, false, "present 0x8, absent, absent, absent"},
		"no owner in a partial history":      {"mint", "OwnershipTransferred", nil, true, false, "unknown, absent, absent, absent"},
		"no owner ever":                      {"mint", "OwnershipTransferred", nil, false, false, "present, absent, absent, absent"},
		"an owner that the class forgot":     {"mint", "", []string{"OwnershipTransferred 0x7 0x0"}, false, false, "present, absent, absent, absent"},
		"malformed ownership":                {"mint", "OwnershipTransferred", []string{"OwnershipTransferred 0x7"}, false, false, "unknown, absent, absent, absent"},
		"nested events are not seen":         {everything, "[OwnershipTransferred]", nil, false, false, "unknown, unknown, unknown, unknown"},
		"a role":                             {everything, "RoleGranted", []string{"RoleGranted MINTER_ROLE 0x5 0x1"}, false, false, "present 0x5, present, present, present"},
		"an administrator":                   {everything, "RoleGranted", []string{"RoleGranted 0x0 0x9 0x1"}, false, false, "present 0x9, present 0x9, present 0x9, present 0x9"},
		"roles before the administrator":     {"mint pause", "RoleGranted", []string{"RoleGranted 0x0 0x9 0x1", "RoleGranted PAUSER_ROLE 0x6 0x9"}, false, false, "present 0x9, present 0x6, absent, absent"},
		"several holders":                    {"mint", "RoleGranted", []string{"RoleGranted MINTER_ROLE 0x5 0x1", "RoleGranted MINTER_ROLE 0x6 0x1"}, false, false, "present, absent, absent, absent"},
		"all roles given back":               {"mint", "RoleGranted", []string{"RoleGranted MINTER_ROLE 0x5 0x1", "RoleRevoked MINTER_ROLE 0x5 0x5"}, false, false, "renounced, absent, absent, absent"},
		"a role granted anew":                {"mint", "RoleGranted", []string{"RoleGranted MINTER_ROLE 0x5 0x1", "RoleRevoked MINTER_ROLE 0x5 0x5", "RoleGranted MINTER_ROLE 0x5 0x1"}, false, false, "present 0x5, absent, absent, absent"},
		"roles given back in partial":        {"mint", "RoleGranted", []string{"RoleRevoked MINTER_ROLE 0x5 0x5"}, true, false, "unknown, absent, absent, absent"},
		"roles given back, an owner remains": {"mint", "RoleGranted OwnershipTransferred", []string{"RoleGranted 0x0 0x5 0x1", "RoleRevoked 0x0 0x5 0x5", "OwnershipTransferred 0x0 0x7"}, false, false, "present 0x7, absent, absent, absent"},
		"roles and ownership given up":       {"mint", "RoleGranted OwnershipTransferred", []string{"RoleGranted 0x0 0x5 0x1", "RoleRevoked 0x0 0x5 0x5", "OwnershipTransferred 0x7 0x0"}, false, false, "renounced, absent, absent, absent"},
		"roles nobody ever had":              {"mint", "RoleGranted", nil, false, false, "present, absent, absent, absent"},
		"too many roles":                     {"mint pause", "RoleGranted", append(many, "RoleRevoked PAUSER_ROLE 0x5 0x5"), false, false, "present, present, absent, absent"},
		"a class passes calls on":            {"__default__", "", nil, false, false, "unknown, unknown, unknown, unknown"},
		"the implementation is final":        {"replace_to", "ImplementationFinalized", []string{"ImplementationFinalized 0x1"}, false, false, "absent, absent, absent, renounced"},
		"replaced by a class without a way":  {"transfer", "", []string{"Upgraded 0x1"}, false, true, "absent, absent, absent, renounced"},
		"replaced by a class with a way":     {"upgrade", "", []string{"Upgraded 0x1"}, false, true, "absent, absent, absent, present"},
	} {
		class := facts.StoredClass(starknet.FeltFromUint64(1), true, abiOf(c.functions, c.events), false)
		contract := &chain.Contract{Current: &chain.KnownClass{Hash: class.Hash}, Token: &chain.TokenIdentity{}}
		if !c.older {
			contract.Deployment = &chain.ContractDeployment{KnownClass: chain.KnownClass{Hash: class.Hash}}
			if c.replaced {
				contract.Deployment.Hash = starknet.FeltFromUint64(2)
			}
		}
		got := controlsOf(contract, facts.Code{Class: class}, happened(c.happened...), statusAt(99))
		known := got.Snapshot
		if text := strings.Join([]string{describe(known.Supply), describe(known.Transfer), describe(known.Metadata), describe(known.Upgrade)}, ", "); text != c.want {
			t.Errorf("%s: got %s, want %s", name, text, c.want)
		}
		if known.Block != 99 || c.older != (got.Reason == ReasonControlsPartial) || (len(c.happened) > maxRoleEvents) != (got.Reason == ReasonControlsTruncated) {
			t.Errorf("%s: got reason %q as of block %d after %d events, want partial %t as of 99", name, got.Reason, known.Block, len(c.happened), c.older)
		}
	}
}

func statusAt(last uint64) chain.Status {
	return chain.Status{Chain: domain.Mainnet, AsOf: time.Now(), Head: chain.Head{Coverage: &chain.Coverage{Last: last}}}
}

func TestControlsWithoutAClassAreNotIndexed(t *testing.T) {
	t.Parallel()
	hash := starknet.FeltFromUint64(1)
	missing := facts.MissingClass(hash)
	for name, contract := range map[string]*chain.Contract{
		"no class":      {},
		"missing class": {Current: &chain.KnownClass{Hash: hash}},
	} {
		if got := controlsOf(contract, facts.Code{Class: missing}, history{}, statusAt(9)); got.Snapshot != nil || got.Reason != ReasonControlsNoClass {
			t.Errorf("%s: got %+v, want no snapshot and %s", name, got, ReasonControlsNoClass)
		}
	}
}

func TestControlsNameTheirEvents(t *testing.T) {
	t.Parallel()
	class := facts.StoredClass(starknet.FeltFromUint64(1), true, abiOf("mint", "OwnershipTransferred RoleGranted"), false)
	contract := &chain.Contract{
		Current: &chain.KnownClass{Hash: class.Hash}, Token: &chain.TokenIdentity{},
		Deployment: &chain.ContractDeployment{KnownClass: chain.KnownClass{Hash: class.Hash, Block: domain.BlockRef{Number: 3}}, TxHash: new(starknet.FeltFromUint64(33))},
	}
	h := happened("OwnershipTransferred 0x0 0x7", "RoleGranted 0x0 0x5 0x1", "RoleRevoked 0x0 0x5 0x1", "Paused 0x1", "OwnershipTransferred 0x7 0x8")
	got := controlsOf(contract, facts.Code{Class: class}, h, statusAt(9)).Snapshot.Evidence
	want := "deployed 3, ownership_transferred 4, paused 3, role_granted 1, role_revoked 2"
	var words []string
	for _, evidence := range got {
		words = append(words, fmt.Sprintf("%s %d", evidence.Kind, evidence.Block))
	}
	if text := strings.Join(words, ", "); text != want {
		t.Errorf("got %s, want %s", text, want)
	}
}
