package abi

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"astrolabe/starknet"
)

// nestedABI has every way in which Cairo 1 nests events: a flat component, a nested enum,
// a struct inside a struct, and an event without fields.
const nestedABI = `[
{"type":"event","name":"c::Event","kind":"enum","variants":[
  {"name":"ERC20Event","type":"erc20::Event","kind":"flat"},
  {"name":"Vault","type":"vault::Event","kind":"nested"},
  {"name":"Mixed","type":"c::Mixed","kind":"nested"},
  {"name":"Ping","type":"c::Ping","kind":"nested"}]},
{"type":"event","name":"erc20::Event","kind":"enum","variants":[{"name":"Transfer","type":"erc20::Transfer","kind":"nested"}]},
{"type":"event","name":"erc20::Transfer","kind":"struct","members":[
  {"name":"from","type":"core::starknet::contract_address::ContractAddress","kind":"key"},
  {"name":"to","type":"core::starknet::contract_address::ContractAddress","kind":"key"},
  {"name":"value","type":"core::integer::u256","kind":"data"}]},
{"type":"event","name":"vault::Event","kind":"enum","variants":[{"name":"Deposit","type":"vault::Deposit","kind":"nested"},{"name":"Inner","type":"vault::Inner","kind":"nested"}]},
{"type":"event","name":"vault::Deposit","kind":"struct","members":[{"name":"memo","type":"core::byte_array::ByteArray","kind":"key"},{"name":"ids","type":"core::array::Span::<core::integer::u64>","kind":"data"}]},
{"type":"event","name":"vault::Inner","kind":"enum","variants":[{"name":"Deposit","type":"vault::Deposit","kind":"nested"}]},
{"type":"event","name":"c::Mixed","kind":"struct","members":[
  {"name":"first","type":"core::felt252","kind":"data"},
  {"name":"inner","type":"erc20::Transfer","kind":"nested"},
  {"name":"second","type":"core::felt252","kind":"key"}]},
{"type":"event","name":"c::Ping","kind":"struct","members":[]}]`

func selectors(names ...string) []starknet.Felt {
	list := make([]starknet.Felt, len(names))
	for i, name := range names {
		list[i] = starknet.Selector(name)
	}
	return list
}

func TestNestedAndFlatEvents(t *testing.T) {
	t.Parallel()
	schema := mustCompile(t, nestedABI)
	memo := starknet.AppendByteArray(nil, []byte("rent"))
	for _, c := range []struct {
		keys, data []starknet.Felt
		path       string
		fields     string
	}{
		{append(selectors("Transfer"), felts(t, 1, 2)...), felts(t, 3, 0), "Transfer", "key from=0x1 key to=0x2 data value=3"},
		{append(selectors("Vault", "Deposit"), memo...), felts(t, 2, 7, 8), "Vault.Deposit", "key memo=rent data ids=[7, 8]"},
		{append(selectors("Vault", "Inner", "Deposit"), memo...), felts(t, 0), "Vault.Inner.Deposit", "key memo=rent data ids=[]"},
		{append(selectors("Mixed"), felts(t, 1, 2, 9)...), felts(t, 8, 3, 0), "Mixed", "data first=0x8 key inner.from=0x1 key inner.to=0x2 data inner.value=3 key second=0x9"},
		{selectors("Ping"), nil, "Ping", ""},
	} {
		event, err := schema.DecodeEvent(c.keys, c.data)
		if err != nil {
			t.Errorf("%s: got %v, want no error", c.path, err)
			continue
		}
		var shown []string
		for i := range event.Fields {
			f := &event.Fields[i]
			shown = append(shown, fmt.Sprintf("%s %s=%s", f.Source, f.Label, f.Value))
		}
		if got := strings.Join(shown, " "); got != c.fields || strings.Join(event.Layout.Path, ".") != c.path {
			t.Errorf("%v: %s, want %s: %s", event.Layout.Path, got, c.path, c.fields)
		}
		checkRoundTrip(t, &event, c.keys, c.data)
		if name, err := schema.EventName(c.keys); err != nil || name != event.Layout.Name {
			t.Errorf("%s: got name %q, %v, want %q", c.path, name, err, event.Layout.Name)
		}
		if _, err := schema.DecodeEvent(append(c.keys, starknet.Felt{}), c.data); !errors.Is(err, ErrPayloadMismatch) {
			t.Errorf("%s with a key too many: got %v, want %v", c.path, err, ErrPayloadMismatch)
		}
		if _, err := schema.DecodeEvent(c.keys, append(c.data, starknet.Felt{})); !errors.Is(err, ErrPayloadMismatch) {
			t.Errorf("%s with a felt too many: got %v, want %v", c.path, err, ErrPayloadMismatch)
		}
	}
	for _, keys := range [][]starknet.Felt{nil, selectors("Deposit"), selectors("Vault"), selectors("Vault", "Transfer"), selectors("ERC20Event", "Transfer")} {
		if _, err := schema.DecodeEvent(keys, nil); !errors.Is(err, ErrUnknownSelector) {
			t.Errorf("%v: got %v, want %v", keys, err, ErrUnknownSelector)
		}
	}
}

func TestEventsThatShareASelectorAreReported(t *testing.T) {
	t.Parallel()
	const text = `[
{"type":"event","name":"c::Event","kind":"enum","variants":[{"name":"A","type":"a::Event","kind":"flat"},{"name":"B","type":"b::Event","kind":"flat"}]},
{"type":"event","name":"a::Event","kind":"enum","variants":[{"name":"Moved","type":"a::Moved","kind":"nested"}]},
{"type":"event","name":"b::Event","kind":"enum","variants":[{"name":"Moved","type":"b::Moved","kind":"nested"}]},
{"type":"event","name":"a::Moved","kind":"struct","members":[{"name":"x","type":"core::felt252","kind":"data"}]},
{"type":"event","name":"b::Moved","kind":"struct","members":[%s]}]`
	two := mustCompile(t, fmt.Sprintf(text, `{"name":"x","type":"core::felt252","kind":"data"},{"name":"y","type":"core::felt252","kind":"data"}`))
	if len(two.Ambiguous()) != 2 {
		t.Errorf("got the ambiguous events %v, want two", two.Ambiguous())
	}
	keys := selectors("Moved")
	event, err := two.DecodeEvent(keys, felts(t, 1, 2))
	if err != nil || event.Layout.TypeName != "b::Moved" {
		t.Errorf("a payload that fits one of them: got %+v, %v, want b::Moved", event, err)
	}
	if _, err := two.DecodeEvent(keys, felts(t, 1, 2, 3)); !errors.Is(err, ErrPayloadMismatch) {
		t.Errorf("a payload that fits none: got %v, want %v", err, ErrPayloadMismatch)
	}
	if name, err := two.EventName(keys); err != nil || name != "Moved" {
		t.Errorf("their common name: got %q, %v, want Moved", name, err)
	}
	same := mustCompile(t, fmt.Sprintf(text, `{"name":"y","type":"core::felt252","kind":"data"}`))
	if _, err := same.DecodeEvent(keys, felts(t, 1)); !errors.Is(err, ErrAmbiguous) {
		t.Errorf("a payload that fits both: got %v, want %v", err, ErrAmbiguous)
	}
	unknown := mustCompile(t, fmt.Sprintf(text, `{"name":"y","type":"m::Unknown","kind":"data"}`))
	if _, err := unknown.DecodeEvent(keys, felts(t, 1)); !errors.Is(err, ErrAmbiguous) {
		t.Errorf("a payload that may be an event we cannot read: got %v, want %v", err, ErrAmbiguous)
	}
}

func TestEventWithAnUnknownTypeFailsAlone(t *testing.T) {
	t.Parallel()
	schema := mustCompile(t, `[
{"type":"event","name":"c::Event","kind":"enum","variants":[{"name":"Good","type":"c::Good","kind":"nested"},{"name":"Bad","type":"c::Bad","kind":"nested"},{"name":"Lost","type":"c::Lost","kind":"nested"},{"name":"Unit","type":"()","kind":"nested"}]},
{"type":"event","name":"c::Good","kind":"struct","members":[{"name":"x","type":"core::felt252","kind":"data"}]},
{"type":"event","name":"c::Bad","kind":"struct","members":[{"name":"x","type":"core::mystery","kind":"data"}]}]`)
	if _, err := schema.DecodeEvent(selectors("Good"), felts(t, 1)); err != nil {
		t.Error(err)
	}
	if _, err := schema.DecodeEvent(selectors("Unit"), nil); err != nil {
		t.Error(err)
	}
	for _, name := range []string{"Bad", "Lost"} {
		if _, err := schema.DecodeEvent(selectors(name), felts(t, 1)); !errors.Is(err, ErrUnsupportedType) {
			t.Errorf("%s: got %v, want %v", name, err, ErrUnsupportedType)
		}
		if got, err := schema.EventName(selectors(name)); err != nil || got != name {
			t.Errorf("got name %q, %v, want %q", got, err, name)
		}
	}
}

func TestEventDefinedTwiceIsUnsupportedUnlessEqual(t *testing.T) {
	t.Parallel()
	const text = `[
{"type":"event","name":"c::Event","kind":"enum","variants":[{"name":"A","type":"c::A","kind":"nested"}]},
{"type":"event","name":"c::Event","kind":"enum","variants":[{"name":"A","type":"c::A","kind":"nested"}]},
{"type":"event","name":"c::A","kind":"struct","members":[{"name":"x","type":"core::felt252","kind":"data"}]},
{"type":"event","name":"c::A","kind":"struct","members":[{"name":"x","type":%q,"kind":"data"}]}]`
	if _, err := mustCompile(t, fmt.Sprintf(text, "core::felt252")).DecodeEvent(selectors("A"), felts(t, 1)); err != nil {
		t.Errorf("equal definitions: got %v, want no error", err)
	}
	if _, err := mustCompile(t, fmt.Sprintf(text, "core::bool")).DecodeEvent(selectors("A"), felts(t, 1)); !errors.Is(err, ErrUnsupportedType) {
		t.Errorf("different definitions: got %v, want %v", err, ErrUnsupportedType)
	}
}

func TestSchemaServesManyReadersAtOnce(t *testing.T) {
	t.Parallel()
	schema := mustCompile(t, nestedABI)
	keys, data := append(selectors("Transfer"), felts(t, 1, 2)...), felts(t, 3, 0)
	var readers sync.WaitGroup
	for range 8 {
		readers.Go(func() {
			for range 100 {
				if event, err := schema.DecodeEvent(keys, data); err != nil || event.Fields[2].String() != "3" {
					t.Errorf("got %v, %v, want its third field 3", event, err)
				}
			}
		})
	}
	readers.Wait()
}

func TestEventsOfTheFirstCairo1AreAllData(t *testing.T) {
	t.Parallel()
	schema := mustCompile(t, `[{"type":"event","name":"simple","inputs":[{"name":"a","ty":"core::felt"},{"name":"b","type":"core::array::Array::<core::felt252>"}]}]`)
	keys, data := selectors("simple"), felts(t, 1, 1, 2)
	event, err := schema.DecodeEvent(keys, data)
	if err != nil {
		t.Fatal(err)
	}
	checkRoundTrip(t, &event, keys, data)
}

func TestEventsThatContainThemselvesEnd(t *testing.T) {
	t.Parallel()
	schema := mustCompile(t, `[
{"type":"event","name":"c::Event","kind":"enum","variants":[{"name":"Loop","type":"l::Event","kind":"nested"},{"name":"S","type":"c::S","kind":"nested"}]},
{"type":"event","name":"l::Event","kind":"enum","variants":[{"name":"Again","type":"l::Event","kind":"nested"},{"name":"Up","type":"c::Event","kind":"flat"}]},
{"type":"event","name":"c::S","kind":"struct","members":[{"name":"s","type":"c::S","kind":"nested"}]}]`)
	for _, l := range schema.Events() {
		if l.Name == "S" && !errors.Is(l.Unsupported(), ErrRecursiveType) {
			t.Errorf("%v: got %v, want %v", l.Path, l.Unsupported(), ErrRecursiveType)
		}
	}
}

// Enums that double at every level are cut off, by width or by depth.
func TestEventsDoNotMultiply(t *testing.T) {
	t.Parallel()
	for _, leaf := range []string{
		`{"type":"event","name":"e0","kind":"enum","variants":[]}`,
		`{"type":"event","name":"e0","kind":"struct","members":[]}`,
	} {
		for _, levels := range []int{14, 40} {
			var b strings.Builder
			b.WriteString(`[` + leaf)
			for i := 1; i <= levels; i++ {
				fmt.Fprintf(&b, `,{"type":"event","name":"e%d","kind":"enum","variants":[{"name":"A","type":"e%d","kind":"nested"},{"name":"B","type":"e%d","kind":"nested"}]}`, i, i-1, i-1)
			}
			b.WriteString(`]`)
			if _, err := Compile([]byte(b.String())); !errors.Is(err, ErrMalformedABI) {
				t.Errorf("%d levels: got %v, want %v", levels, err, ErrMalformedABI)
			}
		}
	}
}

func TestStructsInStructsDoNotMultiply(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	b.WriteString(`[{"type":"event","name":"s0","kind":"struct","members":[]}`)
	for i := 1; i <= 14; i++ {
		fmt.Fprintf(&b, `,{"type":"event","name":"s%d","kind":"struct","members":[{"name":"a","type":"s%d","kind":"nested"},{"name":"b","type":"s%d","kind":"nested"}]}`, i, i-1, i-1)
	}
	b.WriteString(`,{"type":"event","name":"c::Event","kind":"enum","variants":[{"name":"S","type":"s14","kind":"nested"}]}]`)
	if _, err := Compile([]byte(b.String())); !errors.Is(err, ErrMalformedABI) {
		t.Errorf("got %v, want %v", err, ErrMalformedABI)
	}
}
