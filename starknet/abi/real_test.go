package abi

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"astrolabe/starknet"
)

// realData returns the folder of real chain data or skips the test.
func realData(tb testing.TB) string {
	tb.Helper()
	dir := filepath.Join("..", "..", "..", "shared", "data", "real")
	if _, err := os.Stat(dir); err != nil {
		tb.Skip("the folder of real chain data is not beside the repository")
	}
	return dir
}

func readJSON(tb testing.TB, path string, v any) {
	tb.Helper()
	text, err := os.ReadFile(path) //nolint:gosec // A path below the test data.
	if err == nil {
		err = json.Unmarshal(text, v)
	}
	if err != nil {
		tb.Fatalf("%s: %v", path, err)
	}
}

func realFiles(tb testing.TB, patterns ...string) []string {
	tb.Helper()
	var files []string
	for _, pattern := range patterns {
		found, err := filepath.Glob(filepath.Join(realData(tb), pattern))
		if err != nil || len(found) == 0 {
			tb.Fatalf("got no files that match %s, %v, want some", pattern, err)
		}
		files = append(files, found...)
	}
	return files
}

func realSchema(tb testing.TB, path string) *Schema {
	tb.Helper()
	var class starknet.Class
	readJSON(tb, path, &class)
	schema, err := Compile(class.ABI())
	if err != nil {
		tb.Fatalf("%s: %v", path, err)
	}
	return schema
}

func realBlock(tb testing.TB, path string) *starknet.BlockWithReceipts {
	tb.Helper()
	block := new(starknet.BlockWithReceipts)
	readJSON(tb, path, block)
	return block
}

// The keyed layouts come from real classes; the old ones from the ABI that
// their source generates, because those classes are not available.
const (
	keyedERC20  = "other_classes/0x6b3da05b352f93912df0593a703f1884c4c607523bb33feaff4940635ef050d.json"
	keyedERC721 = "SN_SEPOLIA/classes/0x3cc90db763e736ca9b6c581ea4008408842b1a125947ab087438676a7e40b7b.json"

	uint256Struct = `{"type":"struct","name":"Uint256","size":2,"members":[{"name":"low","type":"felt","offset":0},{"name":"high","type":"felt","offset":1}]}`
	legacyERC20   = `[` + uint256Struct + `,{"type":"event","name":"Transfer","keys":[],"data":[{"name":"from_","type":"felt"},{"name":"to","type":"felt"},{"name":"value","type":"Uint256"}]}]`
	legacyERC721  = `[` + uint256Struct + `,{"type":"event","name":"Transfer","keys":[],"data":[{"name":"from_","type":"felt"},{"name":"to","type":"felt"},{"name":"tokenId","type":"Uint256"}]}]`
)

func TestTheFourTransferLayoutsOfRealBlocks(t *testing.T) {
	t.Parallel()
	dir := realData(t)
	var golden struct {
		Selector starknet.Felt `json:"transfer_selector"`
		Blocks   map[string]struct {
			Transfers map[string]int `json:"transfer_events"`
		} `json:"blocks"`
	}
	readJSON(t, filepath.Join(dir, "golden.json"), &golden)
	schemas := map[string]*Schema{
		"ERC-20 legacy":  mustCompile(t, legacyERC20),
		"ERC-721 legacy": mustCompile(t, legacyERC721),
		"ERC-20 keyed":   realSchema(t, filepath.Join(dir, keyedERC20)),
		"ERC-721 keyed":  realSchema(t, filepath.Join(dir, keyedERC721)),
	}
	for name, want := range golden.Blocks {
		fits := map[string]int{}
		for _, e := range blockEvents(realBlock(t, filepath.Join(dir, filepath.Dir(name), "blocks", filepath.Base(name)+".json"))) {
			if e.Keys[0] != golden.Selector {
				continue
			}
			for layout, schema := range schemas {
				decoded, err := schema.DecodeEvent(e.Keys, e.Data)
				if errors.Is(err, ErrPayloadMismatch) {
					continue
				}
				if err != nil {
					t.Fatal(err)
				}
				fits[layout]++
				checkTransfer(t, &decoded, &e)
			}
		}
		for layout, shape := range map[string]string{
			"ERC-20 legacy": "k1_d4", "ERC-721 legacy": "k1_d4", "ERC-20 keyed": "k3_d2", "ERC-721 keyed": "k5_d0",
		} {
			if fits[layout] != want.Transfers[shape] {
				t.Errorf("%s: %d events fit %s, want %d", name, fits[layout], layout, want.Transfers[shape])
			}
		}
	}
}

// checkTransfer compares the three fields with the felts after the selector,
// which have the same order in all four layouts.
func checkTransfer(t *testing.T, decoded *Event, e *starknet.Event) {
	t.Helper()
	felts := slices.Concat(e.Keys[1:], e.Data)
	want, err := starknet.Uint256FromHalves(felts[2], felts[3])
	if err != nil {
		t.Fatal(err)
	}
	got, ok := decoded.Fields[2].Int()
	if !ok || got.Cmp(want.Big()) != 0 || decoded.Fields[2].Type.Kind() != KindU256 {
		t.Errorf("amount %v, want %v", got, want)
	}
	if decoded.Fields[0].Raw[0] != felts[0] || decoded.Fields[1].Raw[0] != felts[1] {
		t.Errorf("from %v to %v, want %v to %v", decoded.Fields[0], decoded.Fields[1], felts[0], felts[1])
	}
	checkRoundTrip(t, decoded, e.Keys, e.Data)
}

func checkRoundTrip(t *testing.T, decoded *Event, keys, data []starknet.Felt) {
	t.Helper()
	gotKeys, gotData := decoded.Encode()
	if !slices.Equal(gotKeys, keys) || !slices.Equal(gotData, data) {
		t.Errorf("%s: got %v %v, want %v %v", decoded.Layout.Name, gotKeys, gotData, keys, data)
	}
	for i := range decoded.Fields {
		f := &decoded.Fields[i]
		source := data
		if f.Source == FromKeys {
			source = keys
		}
		for j, index := range f.OriginIndexes() {
			if source[index] != f.Raw[j] {
				t.Errorf("%s: got %v, want %v, felt %d of the %s", f.Label, f.Raw[j], source[index], index, f.Source)
			}
		}
	}
}

func blockEvents(block *starknet.BlockWithReceipts) []starknet.Event {
	var events []starknet.Event
	for i := range block.Transactions {
		events = append(events, block.Transactions[i].Receipt.Events...)
	}
	return events
}

func TestEveryRealABICompiles(t *testing.T) {
	t.Parallel()
	for _, path := range realFiles(t, "SN_*/classes/*.json", "other_classes/*.json") {
		schema := realSchema(t, path)
		for _, l := range schema.Events() {
			if l.Unsupported() != nil {
				t.Errorf("%s: event %s: got %v, want it supported", path, l.Name, l.Unsupported())
			}
		}
		for _, f := range schema.functions {
			// Cairo 0's raw calldata has no layout.
			if f.UnsupportedInputs() != nil && f.Name != "__default__" {
				t.Errorf("%s: function %s: got %v, want its inputs supported", path, f.Name, f.UnsupportedInputs())
			}
		}
	}
}

// Decode every event and every top-level call of the real blocks with every
// real class: whatever decodes must encode to the same felts.
func TestRealPayloadsEncodeToThemselves(t *testing.T) {
	t.Parallel()
	var schemas []*Schema
	for _, path := range realFiles(t, "SN_*/classes/*.json", "other_classes/*.json") {
		schemas = append(schemas, realSchema(t, path))
	}
	decodedEvents, decodedCalls := 0, 0
	for _, path := range realFiles(t, "SN_*/blocks/*.json") {
		block := realBlock(t, path)
		for _, schema := range schemas {
			for _, e := range blockEvents(block) {
				if decoded, err := schema.DecodeEvent(e.Keys, e.Data); err == nil {
					checkRoundTrip(t, &decoded, e.Keys, e.Data)
					decodedEvents++
				}
			}
			for i := range block.Transactions {
				tx := &block.Transactions[i].Transaction
				f := schema.Function(tx.EntryPointSelector)
				if f == nil || tx.Type != starknet.Invoke {
					continue
				}
				if fields, err := f.DecodeInputs(tx.Calldata); err == nil {
					if !slices.Equal(EncodeFields(fields), tx.Calldata) {
						t.Errorf("%s: call of %s: got %v, want %v", path, f.Name, EncodeFields(fields), tx.Calldata)
					}
					decodedCalls++
				}
			}
		}
	}
	if decodedEvents == 0 || decodedCalls == 0 {
		t.Errorf("got %d events and %d calls decoded, want some of both", decodedEvents, decodedCalls)
	}
}

func BenchmarkDecodeTransfer(b *testing.B) {
	schema := realSchema(b, filepath.Join(realData(b), keyedERC20))
	keys := []starknet.Felt{starknet.Selector("Transfer"), starknet.FeltFromUint64(1), starknet.FeltFromUint64(2)}
	data := []starknet.Felt{starknet.FeltFromUint64(3), {}}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := schema.DecodeEvent(keys, data); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkDecodeBlockTransfers(b *testing.B) {
	dir := realData(b)
	schema := mustCompile(b, legacyERC20)
	events := blockEvents(realBlock(b, filepath.Join(dir, "SN_MAIN", "blocks", "19199.json")))
	b.ReportAllocs()
	for b.Loop() {
		for i := range events {
			_, _ = schema.DecodeEvent(events[i].Keys, events[i].Data)
		}
	}
	b.ReportMetric(float64(b.N*len(events))/b.Elapsed().Seconds(), "events/s")
}

func BenchmarkCompile(b *testing.B) {
	var class starknet.Class
	readJSON(b, filepath.Join(realData(b), keyedERC721), &class)
	text := class.ABI()
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Compile(text); err != nil {
			b.Fatal(err)
		}
	}
}
