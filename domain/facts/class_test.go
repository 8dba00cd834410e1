package facts

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"astrolabe/sim/classes"
	"astrolabe/starknet"
)

func TestStandardsOfTheSimulatedClasses(t *testing.T) {
	t.Parallel()
	want := map[string]Standard{
		"erc20_keyed": ERC20, "erc20_legacy": ERC20, "amm_pair": ERC20,
		"erc721_keyed": ERC721, "erc721_legacy": ERC721, "erc1155": ERC1155,
		"erc20_cairo0": ERC20, "erc20_cairo0_v2": ERC20, "erc721_cairo0": ERC721, "erc721_cairo0_v2": ERC721,
	}
	all, err := classes.Load()
	if err != nil {
		t.Fatal(err)
	}
	for _, class := range all {
		got := simClass(t, class.Name)
		if got.Standard != want[class.Name] || got.Account != (class.Name == "account") {
			t.Errorf("%s: got the standard %q and account %v, want %q and %v", class.Name, got.Standard, got.Account, want[class.Name], class.Name == "account")
		}
		if sierra := !class.CompiledHash.IsZero(); got.Hash != class.Hash || got.Sierra != sierra || got.Missing || got.Schema() == nil || len(got.Functions) == 0 {
			t.Errorf("%s: got the hash %s, Sierra %v, missing %v and %d functions, want %s, %v and a schema with functions", class.Name, got.Hash, got.Sierra, got.Missing, len(got.Functions), class.Hash, sierra)
		}
	}
}

func TestStandardsOfRealClasses(t *testing.T) {
	t.Parallel()
	standards := map[string]Standard{"0x3cc90db7": ERC721, "0x6b3da05b": ERC20, "0x941a2dc3": ERC20}
	accounts := map[string]bool{"0x5c478ee2": true}
	for _, pattern := range []string{"SN_*/classes/*.json", "other_classes/*.json"} {
		files, err := filepath.Glob(filepath.Join(realData(t), pattern))
		if err != nil || len(files) == 0 {
			t.Fatalf("%s: got no files and %v, want some", pattern, err)
		}
		for _, path := range files {
			var document starknet.Class
			readJSON(t, path, &document)
			name := strings.TrimSuffix(filepath.Base(path), ".json")
			class := NewClass(starknet.MustFelt(name), document)
			if class.Standard != standards[name[:10]] || class.Account != accounts[name[:10]] {
				t.Errorf("%s: got the standard %q and account %v, want %q and %v", name, class.Standard, class.Account, standards[name[:10]], accounts[name[:10]])
			}
			if class.Sierra != (document.Sierra != nil) || class.Schema() == nil {
				t.Errorf("%s: got Sierra %v and the schema %v, want Sierra %v and a schema", name, class.Sierra, class.Schema(), document.Sierra != nil)
			}
		}
	}
}

func TestStandardsFollowTheirCriteria(t *testing.T) {
	t.Parallel()
	for functions, want := range map[string]Standard{
		"transfer balanceOf totalSupply":                          ERC20,
		"transfer balance_of total_supply decimals":               ERC20,
		"transfer balance_of":                                     "",
		"ownerOf balanceOf transferFrom":                          ERC721,
		"owner_of balance_of transfer_from transfer total_supply": ERC721,
		"owner_of": "",
		"owner_of balance_of transfer_from transfer total_supply decimals": "",
		"balance_of_batch": ERC1155,
		"balanceOfBatch balance_of transfer total_supply": ERC1155,
		"upgrade": "",
	} {
		if got := abiClass(eventABI([]string{"Other"}, nil, strings.Fields(functions)...)).Standard; got != want {
			t.Errorf("%s: got %q, want %q", functions, got, want)
		}
	}
	if got := abiClass(cairo0ERC1155).Standard; got != ERC1155 {
		t.Errorf("events of ERC-1155: got %q, want %q", got, ERC1155)
	}
	old := abiClass(eventABI(nil, nil, "__execute__", "is_valid_signature"))
	if proxy := abiClass(proxyABI); !old.Account || proxy.Account {
		t.Errorf("got account %v for the old account and %v for the proxy, want true and false", old.Account, proxy.Account)
	}
}

func TestSchemasAreMaterialised(t *testing.T) {
	t.Parallel()
	class := abiClass(`[
		{"type":"event","name":"c::Event","kind":"enum","variants":[{"name":"Vault","type":"v::Event","kind":"nested"},{"name":"Odd","type":"c::Odd","kind":"nested"}]},
		{"type":"event","name":"v::Event","kind":"enum","variants":[{"name":"Paid","type":"v::Paid","kind":"nested"}]},
		{"type":"event","name":"v::Paid","kind":"struct","members":[{"name":"who","type":"` + address + `","kind":"key"},{"name":"much","type":"` + u256 + `","kind":"data"}]},
		{"type":"event","name":"c::Odd","kind":"struct","members":[{"name":"x","type":"c::Nowhere","kind":"data"}]},
		{"type":"function","name":"pay","state_mutability":"external","inputs":[{"name":"to","type":"` + address + `"}],"outputs":[{"type":"core::bool"}]},
		{"type":"interface","name":"i","items":[{"type":"function","name":"pay","state_mutability":"external","inputs":[{"name":"to","type":"` + address + `"}],"outputs":[{"type":"core::bool"}]},
			{"type":"function","name":"look","state_mutability":"view","inputs":[],"outputs":[{"type":"c::Nowhere"}]}]},
		{"type":"l1_handler","name":"pay","inputs":[],"outputs":[]},
		{"type":"constructor","name":"constructor","inputs":[],"outputs":[]}]`)
	events := []EventSchema{
		{Selector: starknet.Selector("Vault"), Name: "Paid", Path: []string{"Vault", "Paid"}, Fields: []FieldSchema{{"who", address, "key"}, {"much", u256, "data"}}},
		{Selector: starknet.Selector("Odd"), Name: "Odd", Path: []string{"Odd"}, Fields: []FieldSchema{}, Unsupported: `unsupported type: "c::Nowhere"`},
	}
	slices.SortFunc(events, compareEvents)
	if !reflect.DeepEqual(class.Events, events) {
		t.Errorf("events (-want +got):\n%s", cmp.Diff(events, class.Events))
	}
	functions := []FunctionSchema{
		{Selector: starknet.Selector("pay"), Name: "pay", Inputs: []FieldSchema{{"to", address, ""}}, Outputs: []FieldSchema{{"", "core::bool", ""}}},
		{Selector: starknet.Selector("pay"), Name: "pay", L1Handler: true, Inputs: []FieldSchema{}, Outputs: []FieldSchema{}},
		{Selector: starknet.Selector("look"), Name: "look", View: true, Inputs: []FieldSchema{}, Outputs: []FieldSchema{}, Unsupported: `unsupported type: "c::Nowhere"`},
	}
	slices.SortStableFunc(functions, compareFunctions)
	if !reflect.DeepEqual(class.Functions, functions) {
		t.Errorf("functions (-want +got):\n%s", cmp.Diff(functions, class.Functions))
	}
}

func TestAmbiguousEventsAreMarked(t *testing.T) {
	t.Parallel()
	for _, e := range abiClass(strings.ReplaceAll(twoTransfers, "OTHER", "key")).Events {
		if !e.Ambiguous {
			t.Errorf("got %+v, want it ambiguous", e)
		}
	}
	if e := abiClass(cairo0ERC20).Events[0]; e.Ambiguous {
		t.Errorf("got %+v, want it unambiguous", e)
	}
}

func TestNamesOfAnABIAreValidAndLimited(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("é", maxText)
	text, err := json.Marshal([]any{map[string]any{"type": "function", "name": "a\x00b" + long, "inputs": []any{}, "outputs": []any{}}})
	if err != nil {
		t.Fatal(err)
	}
	name := abiClass(string(text)).Functions[0].Name
	if !strings.HasPrefix(name, "a\uFFFDbé") || len(name) > maxText || strings.ToValidUTF8(name, "?") != name {
		t.Errorf("got the name %.20q of %d bytes, want valid text of at most %d bytes", name, len(name), maxText)
	}
	var entries []string
	for i := range maxCount + 10 {
		entries = append(entries, fmt.Sprintf(`{"type":"function","name":"f%d"}`, i))
	}
	if got := len(abiClass("[" + strings.Join(entries, ",") + "]").Functions); got != maxCount {
		t.Errorf("got %d functions, want %d", got, maxCount)
	}
}

// Ordinals of schemas are stored in 16 bits.
func TestAClassWithTooManyEventsHasNoSchema(t *testing.T) {
	t.Parallel()
	for count, want := range map[int]int{8_000: 8_000, 70_000: 0} {
		entries := make([]string, count)
		for i := range entries {
			entries[i] = fmt.Sprintf(`{"type":"event","name":"e%d","inputs":[]}`, i)
		}
		class := abiClass("[" + strings.Join(entries, ",") + "]")
		if got := len(class.Events); got != want || (class.Schema() != nil) != (want > 0) || class.ABI == nil {
			t.Errorf("%d events: got %d events and a schema: %v, want %d", count, got, class.Schema() != nil, want)
		}
	}
}

func TestClassesWithoutAReadableABIHaveNoSchema(t *testing.T) {
	t.Parallel()
	hash := felt(5)
	for name, class := range map[string]*Class{
		"none":      StoredClass(hash, true, nil, false),
		"empty":     NewClass(hash, starknet.Class{Sierra: &starknet.SierraClass{}}),
		"null":      NewClass(hash, starknet.Class{Deprecated: &starknet.DeprecatedClass{ABI: json.RawMessage("null")}}),
		"malformed": StoredClass(hash, true, []byte("[{"), false),
		"missing":   MissingClass(hash),
	} {
		if class.Schema() != nil || class.Events != nil || class.Functions != nil || class.Standard != "" || class.Hash != hash {
			t.Errorf("%s: got %+v, want only the hash %s", name, class, hash)
		}
		if (class.ABI != nil) != (name == "malformed") || class.Missing != (name == "missing") {
			t.Errorf("%s: got the ABI %q and missing %v, want an ABI only if malformed", name, class.ABI, class.Missing)
		}
	}
}

func TestAClassIsTheSameAfterStorage(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"erc20_keyed", "oddities", "privacy_pool_v2"} {
		class := simClass(t, name)
		stored := StoredClass(class.Hash, class.Sierra, slices.Clone(class.ABI), class.Missing)
		if !reflect.DeepEqual(stored, class) {
			t.Errorf("%s: got\n%+v\nwant\n%+v", name, stored, class)
		}
	}
}

// TestRespacedABIIsTheSameClass compares ABIs as nodes send them: the hash of a
// Cairo 0 class sorts keys and ignores spaces, that of a Sierra class does not.
func TestRespacedABIIsTheSameClass(t *testing.T) {
	t.Parallel()
	const text, respaced, another = `[{"name":"é","type":"event"}]`, "[ {\"type\": \"event\",\n\"name\": \"\\u00e9\"} ]", `[{"name":"f","type":"event"}]`
	differ := func(a, b *Class) bool {
		_, rows := FirstDifference(&Block{Classes: []*Class{a}}, &Block{Classes: []*Class{b}}, TableClasses)
		if digests := a.Digest() != b.Digest(); digests != rows {
			t.Errorf("the digests differ: got %t, want %t as the rows do", digests, rows)
		}
		return rows
	}
	cairo0 := NewClass(felt(1), starknet.Class{Deprecated: &starknet.DeprecatedClass{ABI: json.RawMessage(respaced)}})
	for stored, want := range map[string]bool{text: false, respaced: false, another: true} {
		if got := differ(StoredClass(felt(1), false, []byte(stored), false), cairo0); got != want {
			t.Errorf("Cairo 0, stored as %s: got a difference %t, want %t", stored, got, want)
		}
	}
	if !differ(StoredClass(felt(1), true, []byte(text), false), StoredClass(felt(1), true, []byte(respaced), false)) {
		t.Error("Sierra: got no difference, want one")
	}
}

// FuzzStoredClass makes classes of arbitrary ABIs and reads an event by them.
func FuzzStoredClass(f *testing.F) {
	for _, text := range []string{cairo0ERC20, cairo0ERC1155, proxyABI, twoTransfers, "null", "[{", "[null]", eventABI([]string{"A", "Transfer"}, keyed, "f")} {
		f.Add([]byte(text))
	}
	event := []Event{{Event: starknet.Event{Keys: felts("Transfer", 7, 8), Data: felts(9, 0)}}}
	f.Fuzz(func(t *testing.T, text []byte) {
		class := StoredClass(felt(1), true, text, false)
		rows, _ := Transfers(event, always{After: class})
		for _, row := range rows {
			if row.Amount == nil == (row.TokenID == nil) {
				t.Errorf("got %+v, want either an amount or a token id", row)
			}
		}
		if !slices.IsSortedFunc(class.Events, compareEvents) || !slices.IsSortedFunc(class.Functions, compareFunctions) {
			t.Error("got unsorted events or functions, want both sorted")
		}
		for _, e := range class.Events {
			if strings.ContainsRune(e.Name, 0) || len(e.Name) > maxText {
				t.Errorf("got the name %q, want at most %d bytes without a zero", e.Name, maxText)
			}
		}
	})
}
