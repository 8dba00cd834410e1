package event

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"astrolabe/domain/facts"
	"astrolabe/starknet"
)

// The ABIs of small classes, each with one event under the selector of
// Transfer.
const (
	address = "core::starknet::contract_address::ContractAddress"

	keyedTransfer = `[
		{"type":"event","name":"T","kind":"struct","members":[
			{"name":"from","type":"` + address + `","kind":"key"},
			{"name":"to","type":"` + address + `","kind":"key"},
			{"name":"value","type":"core::integer::u256","kind":"data"}]},
		{"type":"event","name":"E","kind":"enum","variants":[{"name":"Transfer","type":"T","kind":"nested"}]}]`
	oldTransfer = `[{"type":"event","name":"Transfer","keys":[],"data":[
		{"name":"from_","type":"felt"},{"name":"to","type":"felt"},{"name":"value","type":"Uint256"}]},
		{"type":"struct","name":"Uint256","size":2,"members":[{"name":"low","offset":0,"type":"felt"},{"name":"high","offset":1,"type":"felt"}]}]`
	oldTokenTransfer = `[{"type":"event","name":"Transfer","keys":[],"data":[
		{"name":"from_","type":"felt"},{"name":"to","type":"felt"},{"name":"tokenId","type":"Uint256"}]},
		{"type":"struct","name":"Uint256","size":2,"members":[{"name":"low","offset":0,"type":"felt"},{"name":"high","offset":1,"type":"felt"}]}]`
	unreadableTransfer = `[
		{"type":"event","name":"T","kind":"struct","members":[{"name":"x","type":"nowhere::Defined","kind":"data"}]},
		{"type":"event","name":"E","kind":"enum","variants":[{"name":"Transfer","type":"T","kind":"nested"}]}]`
	otherEvent = `[{"type":"event","name":"Other","keys":[],"data":[]}]`
)

func class(abi string) *facts.Class {
	return facts.StoredClass(starknet.Selector(abi), true, []byte(abi), false)
}

func felts(list ...any) []starknet.Felt {
	out := make([]starknet.Felt, len(list))
	for i, v := range list {
		switch v := v.(type) {
		case string:
			out[i] = starknet.Selector(v)
		case int:
			out[i] = starknet.FeltFromUint64(uint64(v))
		}
	}
	return out
}

// labels shows the fields of a decoding as one text.
func (d Decoding) labels() string {
	var list []string
	for i := range d.Fields {
		f := &d.Fields[i]
		list = append(list, f.Source.String()+" "+f.Label+"="+f.String())
	}
	return strings.Join(list, ", ")
}

func TestTheClassInForceDecidesWhatAnEventMeans(t *testing.T) {
	t.Parallel()
	keyed, old, oldToken := class(keyedTransfer), class(oldTransfer), class(oldTokenTransfer)
	unreadable, other, none := class(unreadableTransfer), class(otherEvent), class("")
	at := func(c *facts.Class) facts.Runtime { return facts.Runtime{Before: c, After: c} }
	keys3, data2 := felts("Transfer", 1, 2), felts(7, 0)
	keys1, data4 := felts("Transfer"), felts(1, 2, 7, 0)
	for name, test := range map[string]struct {
		keys, data []starknet.Felt
		classes    facts.Runtime
		unique     string
		want       Decoding
		labels     string
	}{
		"decoded by the class": {keys3, data2, at(keyed), "",
			Decoding{Status: Decoded, Name: "Transfer", NameSource: FromClassABI, FieldsFrom: TypedByClassABI}, "key from=0x1, key to=0x2, data value=7"},
		"decoded by the class that it was deployed with": {keys3, data2, facts.Runtime{After: keyed}, "",
			Decoding{Status: Decoded, Name: "Transfer", NameSource: FromClassABI, FieldsFrom: TypedByClassABI}, "key from=0x1, key to=0x2, data value=7"},
		"the old layout by its class": {keys1, data4, at(oldToken), "",
			Decoding{Status: Decoded, Name: "Transfer", NameSource: FromClassABI, FieldsFrom: TypedByClassABI}, "data from_=0x1, data to=0x2, data tokenId=7"},
		"one key and four data felts are never typed by arity alone": {keys1, data4, at(nil), "Transfer",
			nameOnly("Transfer", FromCuration, SelectorOnly), ""},
		"nor where the class does not mention it": {keys1, data4, at(other), "Transfer",
			nameOnly("Transfer", FromCuration, SelectorOnly), ""},
		"a payload that the class does not fit stays a name": {keys3, data2, at(old), "",
			nameOnly("Transfer", FromClassABI, PayloadShapeMismatch), ""},
		"a type that cannot be read": {keys3, data2, at(unreadable), "",
			nameOnly("Transfer", FromClassABI, SchemaShapeUnsupported), ""},
		"a proxy's implementation by the standard": {keys3, data2, at(other), "",
			Decoding{Status: Decoded, Name: "Transfer", NameSource: FromCuration, FieldsFrom: TypedByStandard}, "key from=0x1, key to=0x2, data value=7"},
		"an unknown class by the standard, as a token": {felts("Transfer", 1, 2, 7, 0), nil, at(nil), "",
			Decoding{Status: Decoded, Name: "Transfer", NameSource: FromCuration, FieldsFrom: TypedByStandard}, "key from=0x1, key to=0x2, key token_id=7"},
		"a class without an ABI": {keys3, felts(7), at(none), "",
			nameOnly("Transfer", FromCuration, SelectorOnly), ""},
		"a name that every class gives": {felts("Frobnicated", 1), nil, at(other), "Frobnicated",
			nameOnly("Frobnicated", FromUniqueName, SelectorOnly), ""},
		"a name that further keys would announce": {felts("Component", "Inner"), nil, at(other), "Inner", unknown, ""},
		"nothing is known":                        {felts("Frobnicated", 1), nil, at(other), "", unknown, ""},
		"an event without keys":                   {nil, data2, at(keyed), "Transfer", unknown, ""},
	} {
		got := meaning{classes: test.classes, name: test.unique}.decode(test.keys, test.data)
		if labels := got.labels(); got.Status != test.want.Status || got.Name != test.want.Name || got.NameSource != test.want.NameSource ||
			got.FieldsFrom != test.want.FieldsFrom || got.Unavailable != test.want.Unavailable || labels != test.labels {
			t.Errorf("%s: got %+v with the labels %q, want %+v with %q", name, got, labels, test.want, test.labels)
		}
		if (got.Status == Decoded) != (got.Fields != nil) {
			t.Errorf("%s: got %s with the fields %v, want fields only if decoded", name, got.Status, got.Fields)
		}
	}
}

func TestAnEventBetweenTwoClassesIsDecodedOnlyIfBothAgree(t *testing.T) {
	t.Parallel()
	renamed := class(strings.ReplaceAll(keyedTransfer, `"value"`, `"amount"`))
	same := class(keyedTransfer + " ")
	keys, data := felts("Transfer", 1, 2), felts(7, 0)
	for name, test := range map[string]struct {
		before, after *facts.Class
		want          Decoding
	}{
		"both agree":         {class(keyedTransfer), same, Decoding{Status: Decoded, Name: "Transfer", NameSource: FromClassABI}},
		"a label differs":    {class(keyedTransfer), renamed, nameOnly("Transfer", FromClassABI, SchemaUnavailable)},
		"a layout differs":   {class(oldTransfer), same, nameOnly("Transfer", FromClassABI, SchemaUnavailable)},
		"only the old knows": {same, class(otherEvent), nameOnly("Transfer", FromClassABI, SchemaUnavailable)},
		"only the new knows": {class(otherEvent), same, nameOnly("Transfer", FromClassABI, SchemaUnavailable)},
		"neither fits":       {class(oldTransfer), class(oldTokenTransfer), nameOnly("Transfer", FromClassABI, PayloadShapeMismatch)},
	} {
		got := meaning{classes: facts.Runtime{Before: test.before, After: test.after}}.decode(keys, data)
		if got.Status != test.want.Status || got.Name != test.want.Name || got.NameSource != test.want.NameSource || got.Unavailable != test.want.Unavailable {
			t.Errorf("%s: got %+v, want %+v", name, got, test.want)
		}
	}
}

// TestStandardSchemasFitOnePayloadEach holds the reviewed schemas against
// payloads of the standards.
func TestStandardSchemasFitOnePayloadEach(t *testing.T) {
	t.Parallel()
	for want, payload := range map[string][2][]starknet.Felt{
		"key from=0x1, key to=0x2, data value=340282366920938463463374607431768211457":    {felts("Transfer", 1, 2), felts(1, 1)},
		"key owner=0x1, key spender=0x2, data value=5":                                    {felts("Approval", 1, 2), felts(5, 0)},
		"key owner=0x1, key approved=0x2, key token_id=5":                                 {felts("Approval", 1, 2, 5, 0), nil},
		"key owner=0x1, key operator=0x2, data approved=true":                             {felts("ApprovalForAll", 1, 2), felts(1)},
		"key operator=0x1, key from=0x2, key to=0x3, data id=4, data value=5":             {felts("TransferSingle", 1, 2, 3), felts(4, 0, 5, 0)},
		"key operator=0x1, key from=0x2, key to=0x3, data ids=[4, 5], data values=[6, 7]": {felts("TransferBatch", 1, 2, 3), felts(2, 4, 0, 5, 0, 2, 6, 0, 7, 0)},
		"key previous_owner=0x1, key new_owner=0x2":                                       {felts("OwnershipTransferred", 1, 2), nil},
	} {
		if got := bySelector(payload[0], payload[1], ""); got.labels() != want || got.FieldsFrom != TypedByStandard {
			t.Errorf("got %+v with %q, want %q", got, got.labels(), want)
		}
	}
	for _, l := range standard().Events() {
		if l.Unsupported() != nil {
			t.Errorf("%s: got %v, want a supported schema", l.TypeName, l.Unsupported())
		}
		if curated()[l.Selectors[0]] != l.Name {
			t.Errorf("got the curated name %q, want %q as in the schema", curated()[l.Selectors[0]], l.Name)
		}
	}
}

// FuzzDecode holds the certificate of every decoded event: its fields consume
// exactly its payload.
func FuzzDecode(f *testing.F) {
	f.Add([]byte{1, 2}, []byte{7, 0}, uint8(0))
	f.Add([]byte{}, []byte{1, 2, 7, 0}, uint8(3))
	classes := []*facts.Class{class(keyedTransfer), class(oldTransfer), class(oldTokenTransfer), class(otherEvent), class(unreadableTransfer), nil}
	f.Fuzz(func(t *testing.T, keyBytes, dataBytes []byte, pick uint8) {
		keys, data := felts("Transfer"), felts()
		for _, b := range keyBytes {
			keys = append(keys, starknet.FeltFromUint64(uint64(b)))
		}
		for _, b := range dataBytes {
			data = append(data, starknet.FeltFromUint64(uint64(b)))
		}
		runtime := facts.Runtime{Before: classes[int(pick)%len(classes)], After: classes[int(pick/8)%len(classes)]}
		d := meaning{classes: runtime, name: "Transfer"}.decode(keys, data)
		consumed := 1
		for i := range d.Fields {
			consumed += len(d.Fields[i].Raw)
		}
		switch {
		case d.Status == Decoded && consumed != len(keys)+len(data):
			t.Errorf("got %d felts in fields, want all %d", consumed, len(keys)+len(data))
		case d.Status == Decoded && len(keys) == 1 && len(data) == 4 && d.FieldsFrom == TypedByStandard:
			t.Error("got a Transfer typed by its number of felts, want none")
		case d.Status != Decoded && (d.Fields != nil || d.Unavailable == ""):
			t.Errorf("got %+v, want no fields and a reason", d)
		}
	})
}

func TestAnEventOfAProxyIsDecodedWithItsImplementation(t *testing.T) {
	t.Parallel()
	const u256 = `{"type":"struct","name":"Uint256","size":2,"members":[{"name":"low","type":"felt","offset":0},{"name":"high","type":"felt","offset":1}]}`
	cairo0 := func(hash uint64, abi string) *facts.Class {
		return facts.StoredClass(starknet.FeltFromUint64(hash), false, []byte("["+u256+","+abi+"]"), false)
	}
	proxy := cairo0(1, `{"type":"function","name":"__default__","inputs":[],"outputs":[]},{"type":"event","name":"Upgraded","keys":[],"data":[{"name":"implementation","type":"felt"}]}`)
	moved := `{"type":"event","name":"Transfer","keys":[],"data":[{"name":"from_","type":"felt"},{"name":"to","type":"felt"},{"name":"NAME","type":"Uint256"}]}`
	erc20, erc721 := cairo0(2, strings.ReplaceAll(moved, "NAME", "value")), cairo0(3, strings.ReplaceAll(moved, "NAME", "tokenId"))
	transfer, upgraded := []starknet.Felt{starknet.Selector("Transfer")}, []starknet.Felt{starknet.Selector("Upgraded")}
	four, one := make([]starknet.Felt, 4), make([]starknet.Felt, 1)
	for name, test := range map[string]struct {
		keys, data []starknet.Felt
		classes    facts.Runtime
		want       Decoding
	}{
		"an event of the implementation": {transfer, four, facts.Runtime{Before: proxy, After: proxy, ImplementationBefore: erc20, ImplementationAfter: erc20},
			Decoding{Status: Decoded, Name: "Transfer", NameSource: FromImplementationABI, FieldsFrom: TypedByImplementationABI}},
		"one of another payload": {transfer, one, facts.Runtime{Before: proxy, After: proxy, ImplementationBefore: erc20, ImplementationAfter: erc20},
			Decoding{Status: NameOnly, Name: "Transfer", NameSource: FromImplementationABI, Unavailable: PayloadShapeMismatch}},
		"an event of the proxy": {upgraded, one, facts.Runtime{Before: proxy, After: proxy, ImplementationBefore: erc20, ImplementationAfter: erc20},
			Decoding{Status: Decoded, Name: "Upgraded", NameSource: FromClassABI, FieldsFrom: TypedByClassABI}},
		"an unknown implementation": {transfer, four, facts.Runtime{Before: proxy, After: proxy},
			Decoding{Status: NameOnly, Name: "Transfer", NameSource: FromCuration, Unavailable: SelectorOnly}},
		"an upgrade to other fields": {transfer, four, facts.Runtime{Before: proxy, After: proxy, ImplementationBefore: erc20, ImplementationAfter: erc721},
			Decoding{Status: NameOnly, Name: "Transfer", NameSource: FromImplementationABI, Unavailable: SchemaUnavailable}},
		"a plain class from now on": {transfer, four, facts.Runtime{Before: proxy, After: erc20, ImplementationBefore: erc20},
			Decoding{Status: Decoded, Name: "Transfer", NameSource: FromClassABI, FieldsFrom: TypedByClassABI}},
	} {
		got := meaning{classes: test.classes}.decode(test.keys, test.data)
		got.Fields = nil
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func TestNameOfAVerifiedClassIsFromItsVerifiedABI(t *testing.T) {
	t.Parallel()
	keyed, same, renamed, old := class(keyedTransfer), class(keyedTransfer+" "), class(strings.ReplaceAll(keyedTransfer, `"value"`, `"amount"`)), class(oldTransfer)
	proxy := facts.StoredClass(starknet.FeltFromUint64(1), false, []byte(`[{"type":"function","name":"__default__","inputs":[],"outputs":[]}]`), false)
	other := class(otherEvent)
	at := func(c *facts.Class) facts.Runtime { return facts.Runtime{Before: c, After: c} }
	through := func(c *facts.Class) facts.Runtime {
		return facts.Runtime{Before: proxy, After: proxy, ImplementationBefore: c, ImplementationAfter: c}
	}
	for name, test := range map[string]struct {
		classes  facts.Runtime
		verified []*facts.Class
		source   NameSource
		fields   FieldsSource
	}{
		"the class is verified":                       {at(keyed), []*facts.Class{keyed}, FromVerifiedABI, TypedByClassABI},
		"another class is verified":                   {at(keyed), []*facts.Class{same}, FromClassABI, TypedByClassABI},
		"the class is verified, the payload misfits":  {at(old), []*facts.Class{old}, FromVerifiedABI, ""},
		"the implementation is verified":              {through(keyed), []*facts.Class{keyed}, FromVerifiedABI, TypedByImplementationABI},
		"the proxy is verified":                       {through(keyed), []*facts.Class{proxy}, FromImplementationABI, TypedByImplementationABI},
		"it does not declare the event":               {at(other), []*facts.Class{other}, FromCuration, TypedByStandard},
		"both classes of the block are verified":      {facts.Runtime{Before: keyed, After: same}, []*facts.Class{keyed, same}, FromVerifiedABI, TypedByClassABI},
		"only the class before is verified":           {facts.Runtime{Before: keyed, After: same}, []*facts.Class{keyed}, FromClassABI, TypedByClassABI},
		"only the class after is verified":            {facts.Runtime{Before: keyed, After: same}, []*facts.Class{same}, FromClassABI, TypedByClassABI},
		"they differ, and only the first is verified": {facts.Runtime{Before: keyed, After: renamed}, []*facts.Class{keyed}, FromClassABI, ""},
		"the only one that declares it is verified":   {facts.Runtime{Before: other, After: keyed}, []*facts.Class{keyed}, FromVerifiedABI, ""},
	} {
		m := meaning{classes: test.classes, verified: map[starknet.Felt]bool{}}
		for _, c := range test.verified {
			m.verified[c.Hash] = true
		}
		got := m.decode(felts("Transfer", 1, 2), felts(7, 0))
		if got.Name != "Transfer" || got.NameSource != test.source || got.FieldsFrom != test.fields {
			t.Errorf("%s: got %q by %s with fields by %q, want Transfer by %s with fields by %q", name, got.Name, got.NameSource, got.FieldsFrom, test.source, test.fields)
		}
	}
}
