package facts

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"astrolabe/starknet"
)

// ABIs of layouts that the simulated classes do not have.
const (
	uint256Struct = `{"type":"struct","name":"Uint256","size":2,"members":[{"name":"low","type":"felt","offset":0},{"name":"high","type":"felt","offset":1}]}`
	cairo0ERC20   = `[` + uint256Struct + `,{"type":"event","name":"Transfer","keys":[],"data":[{"name":"from_","type":"felt"},{"name":"to","type":"felt"},{"name":"value","type":"Uint256"}]}]`
	cairo0ERC721  = `[` + uint256Struct + `,{"type":"event","name":"Transfer","keys":[],"data":[{"name":"from_","type":"felt"},{"name":"to","type":"felt"},{"name":"tokenId","type":"Uint256"}]}]`
	cairo0ERC1155 = `[` + uint256Struct + `,
		{"type":"event","name":"TransferSingle","keys":[],"data":[{"name":"operator","type":"felt"},{"name":"from_","type":"felt"},{"name":"to","type":"felt"},{"name":"id","type":"Uint256"},{"name":"value","type":"Uint256"}]},
		{"type":"event","name":"TransferBatch","keys":[],"data":[{"name":"operator","type":"felt"},{"name":"from_","type":"felt"},{"name":"to","type":"felt"},
			{"name":"ids_len","type":"felt"},{"name":"ids","type":"Uint256*"},{"name":"values_len","type":"felt"},{"name":"values","type":"Uint256*"}]}]`
	proxyABI = `[{"type":"function","name":"__default__","inputs":[],"outputs":[]},{"type":"event","name":"Upgraded","keys":[],"data":[{"name":"implementation","type":"felt"}]}]`
)

const address, u256 = "core::starknet::contract_address::ContractAddress", "core::integer::u256"

// field is a member of an event: name, type, and key or data.
type field [3]string

var keyed = []field{{"from", address, "key"}, {"to", address, "key"}}

// eventABI writes a Cairo 1 ABI with the functions and one event, which is
// reached through the path of enums.
func eventABI(path []string, fields []field, functions ...string) string {
	type object = map[string]any
	var entries []object
	for _, name := range functions {
		entries = append(entries, object{"type": "function", "name": name, "inputs": []any{}, "outputs": []any{}})
	}
	inner := "c::Struct"
	members := []object{}
	for _, f := range fields {
		members = append(members, object{"name": f[0], "type": f[1], "kind": f[2]})
	}
	entries = append(entries, object{"type": "event", "kind": "struct", "name": inner, "members": members})
	for i, variant := range slices.Backward(path) {
		outer := fmt.Sprintf("c::Enum%d", i)
		entries = append(entries, object{"type": "event", "kind": "enum", "name": outer, "variants": []object{{"name": variant, "type": inner, "kind": "nested"}}})
		inner = outer
	}
	text, err := json.Marshal(entries)
	if err != nil {
		panic(err)
	}
	return string(text)
}

// with returns the fields with more behind them.
func with(fields []field, more ...field) []field { return slices.Concat(fields, more) }

func TestEveryLayoutGivesItsTransfers(t *testing.T) {
	t.Parallel()
	erc20 := []Transfer{{Standard: ERC20, From: felt(7), To: felt(8), Amount: number(9)}}
	erc721 := []Transfer{{Standard: ERC721, From: felt(7), To: felt(8), TokenID: number(9)}}
	single := []Transfer{{Standard: ERC1155, From: felt(7), To: felt(8), TokenID: number(1), Amount: number(2)}}
	batch := []Transfer{
		{Standard: ERC1155, From: felt(7), To: felt(8), TokenID: number(1), Amount: number(5)},
		{Standard: ERC1155, Index: 1, From: felt(7), To: felt(8), TokenID: number(2), Amount: number(6)},
	}
	legacy := felts(7, 8, 9, 0)
	large := starknet.MustFelt("0x100000000000000000000000000000000") // 2^128
	notAddress := starknet.MustFelt("0x800000000000000000000000000000000000000000000000000000000000000")
	flip := abiClass(cairo0ERC20)
	for name, test := range map[string]struct {
		class      *Class
		keys, data []starknet.Felt
		want       []Transfer
	}{
		"unknown, keyed ERC-20":    {nil, felts("Transfer", 7, 8), felts(9, 0), erc20},
		"unknown, keyed ERC-721":   {nil, felts("Transfer", 7, 8, 9, 0), nil, erc721},
		"unknown, single":          {nil, felts("TransferSingle", 5, 7, 8), felts(1, 0, 2, 0), single},
		"unknown, batch":           {nil, felts("TransferBatch", 5, 7, 8), felts(2, 1, 0, 2, 0, 2, 5, 0, 6, 0), batch},
		"unknown, empty batch":     {nil, felts("TransferBatch", 5, 7, 8), felts(0, 0), nil},
		"unknown, legacy":          {nil, felts("Transfer"), legacy, nil},
		"unknown, nested":          {nil, felts("ERC20Event", "Transfer", 7, 8), felts(9, 0), nil},
		"unknown, one datum more":  {nil, felts("Transfer", 7, 8), felts(9, 0, 0), nil},
		"unknown, one key more":    {nil, felts("Transfer", 7, 8, 9, 0, 0), nil, nil},
		"unknown, low half":        {nil, felts("Transfer", 7, 8), felts(large, 0), nil},
		"unknown, high half":       {nil, felts("Transfer", 7, 8), felts(0, large), nil},
		"unknown, id's half":       {nil, felts("Transfer", 7, 8, large, 0), nil, nil},
		"unknown, uneven batch":    {nil, felts("TransferBatch", 5, 7, 8), felts(2, 1, 0, 2, 0, 1, 5, 0), nil},
		"unknown, cut batch":       {nil, felts("TransferBatch", 5, 7, 8), felts(2, 1, 0, 2, 0, 2, 5, 0, 6), nil},
		"unknown, endless batch":   {nil, felts("TransferBatch", 5, 7, 8), felts(notAddress, 0), nil},
		"unknown, batch's half":    {nil, felts("TransferBatch", 5, 7, 8), felts(1, 1, 0, 1, large, 0), nil},
		"unknown, any felts":       {nil, felts("Transfer", notAddress, 8), felts(9, 0), []Transfer{{Standard: ERC20, From: notAddress, To: felt(8), Amount: number(9)}}},
		"missing, keyed ERC-20":    {MissingClass(felt(1)), felts("Transfer", 7, 8), felts(9, 0), erc20},
		"malformed ABI, keyed":     {abiClass(`{"a":`), felts("Transfer", 7, 8), felts(9, 0), erc20},
		"proxy, keyed ERC-20":      {abiClass(proxyABI), felts("Transfer", 7, 8), felts(9, 0), erc20},
		"proxy, legacy":            {abiClass(proxyABI), felts("Transfer"), legacy, nil},
		"ERC-20 legacy":            {simClass(t, "erc20_legacy"), felts("Transfer"), legacy, erc20},
		"ERC-20 keyed":             {simClass(t, "erc20_keyed"), felts("Transfer", 7, 8), felts(9, 0), erc20},
		"ERC-20 keyed of a pair":   {simClass(t, "amm_pair"), felts("Transfer"), legacy, erc20},
		"ERC-721 legacy":           {simClass(t, "erc721_legacy"), felts("Transfer"), legacy, erc721},
		"ERC-721 keyed":            {simClass(t, "erc721_keyed"), felts("Transfer", 7, 8, 9, 0), nil, erc721},
		"ERC-1155 single":          {simClass(t, "erc1155"), felts("TransferSingle", 5, 7, 8), felts(1, 0, 2, 0), single},
		"ERC-1155 batch":           {simClass(t, "erc1155"), felts("TransferBatch", 5, 7, 8), felts(2, 1, 0, 2, 0, 2, 5, 0, 6, 0), batch},
		"ERC-1155 uneven batch":    {simClass(t, "erc1155"), felts("TransferBatch", 5, 7, 8), felts(2, 1, 0, 2, 0, 1, 5, 0), nil},
		"ERC-20 class, another":    {simClass(t, "erc20_legacy"), felts("Transfer", 7, 8), felts(9, 0), nil},
		"ERC-20 class, ERC-721's":  {simClass(t, "erc20_keyed"), felts("Transfer", 7, 8, 9, 0), nil, nil},
		"ERC-20 class, large half": {simClass(t, "erc20_keyed"), felts("Transfer", 7, 8), felts(0, large), nil},
		"ERC-20 class, no address": {simClass(t, "erc20_keyed"), felts("Transfer", notAddress, 8), felts(9, 0), nil},
		"Cairo 0 ERC-20":           {flip, felts("Transfer"), legacy, erc20},
		"Cairo 0, any felts":       {flip, felts("Transfer"), felts(notAddress, 8, 9, 0), []Transfer{{Standard: ERC20, From: notAddress, To: felt(8), Amount: number(9)}}},
		"Cairo 0 ERC-721":          {abiClass(cairo0ERC721), felts("Transfer"), legacy, erc721},
		"Cairo 0 single":           {abiClass(cairo0ERC1155), felts("TransferSingle"), felts(5, 7, 8, 1, 0, 2, 0), single},
		"Cairo 0 batch":            {abiClass(cairo0ERC1155), felts("TransferBatch"), felts(5, 7, 8, 2, 1, 0, 2, 0, 2, 5, 0, 6, 0), batch},
		"nested component":         {abiClass(eventABI([]string{"ERC20Event", "Transfer"}, with(keyed, field{"value", u256, "data"}))), felts("ERC20Event", "Transfer", 7, 8), felts(9, 0), erc20},
		"nested, only the path":    {abiClass(eventABI([]string{"ERC20Event", "Transfer"}, with(keyed, field{"value", u256, "data"}))), felts("Transfer", "Transfer", 7, 8), felts(9, 0), nil},
		"not a transfer's fields":  {abiClass(eventABI([]string{"Transfer"}, with(keyed, field{"value", "core::felt252", "data"}))), felts("Transfer", 7, 8), felts(9), nil},
		"a field more":             {abiClass(eventABI([]string{"Transfer"}, with(keyed, field{"value", u256, "data"}, field{"memo", "core::felt252", "data"}))), felts("Transfer", 7, 8), felts(9, 0, 1), nil},
		"both from and from":       {abiClass(eventABI([]string{"Transfer"}, []field{{"from", address, "key"}, {"sender", address, "key"}, {"value", u256, "data"}})), felts("Transfer", 7, 8), felts(9, 0), nil},
		"recipient before sender":  {abiClass(eventABI([]string{"Transfer"}, []field{{"recipient", address, "key"}, {"sender", address, "key"}, {"amount", u256, "data"}})), felts("Transfer", 8, 7), felts(9, 0), erc20},
		"other name in an ERC-20":  {abiClass(eventABI([]string{"Transfer"}, with(keyed, field{"quantity", u256, "data"}), "transfer", "balance_of", "total_supply")), felts("Transfer", 7, 8), felts(9, 0), erc20},
		"other name in an ERC-721": {abiClass(eventABI([]string{"Transfer"}, with(keyed, field{"piece", u256, "data"}), "owner_of", "balance_of", "transfer_from")), felts("Transfer", 7, 8), felts(9, 0), erc721},
		"other name in no token":   {abiClass(eventABI([]string{"Transfer"}, with(keyed, field{"piece", u256, "data"}))), felts("Transfer", 7, 8), felts(9, 0), nil},
		"an id in an ERC-20":       {abiClass(eventABI([]string{"Transfer"}, with(keyed, field{"token_id", u256, "data"}), "transfer", "balance_of", "total_supply")), felts("Transfer", 7, 8), felts(9, 0), nil},
		"an amount in an ERC-721":  {abiClass(eventABI([]string{"Transfer"}, with(keyed, field{"value", u256, "data"}), "owner_of", "balance_of", "transfer_from")), felts("Transfer", 7, 8), felts(9, 0), nil},
	} {
		event := Event{TxIndex: 3, LogIndex: 4, Event: starknet.Event{FromAddress: felt(100), Keys: test.keys, Data: test.data}}
		got, _ := Transfers([]Event{event}, always{Before: test.class, After: test.class})
		for i := range test.want {
			test.want[i].TxIndex, test.want[i].LogIndex, test.want[i].Token = 3, 4, felt(100)
		}
		if show(got) != show(test.want) {
			t.Errorf("%s:\n got %s\nwant %s", name, show(got), show(test.want))
		}
	}
}

// show writes rows so that those with equal values are equal.
func show(rows any) string {
	text, err := json.Marshal(rows)
	if err != nil {
		panic(err)
	}
	return strings.ReplaceAll(string(text), "null", "[]")
}

// twoTransfers has two events Transfer, as a token does that is divisible and
// has owners by id.
var twoTransfers = strings.Replace(
	eventABI([]string{"Transfer"}, with(keyed, field{"value", u256, "data"})), `[{"kind":"struct"`,
	`[{"type":"event","kind":"enum","name":"d::Event","variants":[{"name":"Transfer","type":"d::Other","kind":"nested"}]},
	{"type":"event","kind":"struct","name":"d::Other","members":[
		{"name":"from","type":"`+address+`","kind":"key"},{"name":"to","type":"`+address+`","kind":"key"},{"name":"token_id","type":"`+u256+`","kind":"OTHER"}]},{"kind":"struct"`, 1)

func TestThePayloadDecidesBetweenEventsOfOneName(t *testing.T) {
	t.Parallel()
	event := Event{Event: starknet.Event{Keys: felts("Transfer", 7, 8), Data: felts(9, 0)}}
	for other, want := range map[string]int{
		"key":     1, // only the ERC-20's fits
		"data":    0, // both fit, and mean different things
		"strange": 0, // nobody knows what the other one looks like
	} {
		class := abiClass(strings.ReplaceAll(twoTransfers, "OTHER", other))
		if len(class.Events) != 2 {
			t.Fatalf("%s: got the events %v, want 2", other, class.Events)
		}
		if got, _ := Transfers([]Event{event}, always{After: class}); len(got) != want {
			t.Errorf("%s: got %d transfers, want %d", other, len(got), want)
		}
	}
	same := abiClass(strings.NewReplacer("OTHER", "data", "token_id", "value").Replace(twoTransfers))
	if got, _ := Transfers([]Event{event}, always{After: same}); len(got) != 1 {
		t.Errorf("two equal events: got %d transfers, want 1", len(got))
	}
}

func TestATransferBetweenTwoClassesIsTypedOnlyIfBothAgree(t *testing.T) {
	t.Parallel()
	erc20, erc721, other := abiClass(cairo0ERC20), abiClass(cairo0ERC721), simClass(t, "erc20_legacy")
	keyed := simClass(t, "erc20_keyed")
	event := Event{Event: starknet.Event{Keys: felts("Transfer"), Data: felts(7, 8, 9, 0)}}
	for name, test := range map[string]struct {
		runtime Runtime
		want    Standard
	}{
		"both ERC-20":           {Runtime{Before: erc20, After: other}, ERC20},
		"other standard":        {Runtime{Before: erc20, After: erc721}, ""},
		"other layout before":   {Runtime{Before: keyed, After: erc20}, ""},
		"other layout after":    {Runtime{Before: erc20, After: keyed}, ""},
		"unreadable before":     {Runtime{Before: MissingClass(felt(1)), After: erc20}, ""},
		"deployed in the block": {Runtime{Before: nil, After: erc721}, ERC721},
		"the same, read twice":  {Runtime{Before: abiClass(cairo0ERC20), After: erc20}, ERC20},
		"unknown":               {Runtime{}, ""},
	} {
		var got Standard
		rows, _ := Transfers([]Event{event}, always(test.runtime))
		for _, transfer := range rows {
			got = transfer.Standard
		}
		if got != test.want {
			t.Errorf("%s: %q, want %q", name, got, test.want)
		}
	}
}

func TestOtherEventsAreNotTransfers(t *testing.T) {
	t.Parallel()
	events := []Event{
		{Event: starknet.Event{}},
		{Event: starknet.Event{Keys: felts("Approval", 7, 8), Data: felts(9, 0)}},
		{Event: starknet.Event{Keys: felts(1, 2, "Transfer", 7, 8), Data: felts(9, 0)}},
	}
	if got, _ := Transfers(events, unknown{}); len(got) != 0 {
		t.Errorf("got %v, want no transfers", got)
	}
}

// FuzzTransfers gives arbitrary payloads to every kind of class. Whatever is a
// transfer must account for all felts of the payload.
func FuzzTransfers(f *testing.F) {
	known := []*Class{
		nil, abiClass(cairo0ERC20), abiClass(cairo0ERC1155), simClass(f, "erc20_keyed"), simClass(f, "erc721_keyed"), simClass(f, "erc1155"),
		abiClass(strings.ReplaceAll(twoTransfers, "OTHER", "key")),
	}
	f.Add(uint8(0), uint8(0), uint8(2), []byte{7, 8, 9, 0})
	f.Add(uint8(2), uint8(2), uint8(0), []byte{5, 7, 8, 1, 1, 0, 1, 5, 0})
	f.Add(uint8(5), uint8(1), uint8(3), []byte{5, 7, 8, 1, 0, 2, 0})
	f.Add(uint8(5), uint8(2), uint8(3), []byte{5, 7, 8, 2, 1, 0, 2, 0, 2, 1, 0, 2, 0})
	f.Add(uint8(0), uint8(2), uint8(3), []byte{5, 7, 8, 255})
	f.Fuzz(func(t *testing.T, class, selector, keys uint8, payload []byte) {
		selectors := []starknet.Felt{transfer, transferSingle, transferBatch}
		values := make([]starknet.Felt, len(payload))
		for i, b := range payload {
			if values[i] = felt(uint64(b)); b == 255 {
				values[i] = starknet.MustFelt("0x800000000000011000000000000000000000000000000000000000000000000")
			}
		}
		cut := min(int(keys), len(values))
		e := Event{Event: starknet.Event{
			Keys: append([]starknet.Felt{selectors[int(selector)%3]}, values[:cut]...), Data: values[cut:],
		}}
		got, _ := Transfers([]Event{e}, always{After: known[int(class)%len(known)]})
		size := 2 // the parties
		for _, row := range got {
			for _, n := range []*starknet.Uint256{row.Amount, row.TokenID} {
				if n != nil {
					size += 2
				}
			}
		}
		switch {
		case len(got) == 0:
		case selectors[int(selector)%3] == transferSingle:
			size++
		case selectors[int(selector)%3] == transferBatch:
			size += 3
		}
		if len(got) > 0 && size != len(values) {
			t.Errorf("got %d transfers of %d felts, want all %d felts used", len(got), size, len(values))
		}
	})
}
