package facts

import (
	"reflect"
	"testing"

	"astrolabe/starknet"
)

// sample is a block with a row in every table and a value in every field.
func sample() *Block {
	one, two, class := felt(1), felt(2), abiClass("[]")
	price := starknet.ResourcePrice{PriceInWei: one, PriceInFri: two}
	field := []FieldSchema{{Name: "n", Type: "t", Source: "key"}}
	class.Events = []EventSchema{{Selector: one, Name: "E", Path: []string{"p"}, Fields: field, Unsupported: "u"}}
	class.Functions = []FunctionSchema{{Selector: one, Name: "f", Inputs: field, Outputs: field, Unsupported: "u"}}
	return &Block{
		Header: Header{
			Number: 9, Hash: one, ParentHash: two, Version: "0.14.0", L1DAMode: starknet.Blob, Timestamp: 5,
			L1Gas: price, L1DataGas: price, L2Gas: price, Transactions: 1, Events: 1,
		},
		Transactions: []Transaction{{
			Type: starknet.Invoke, Version: 1, Sender: &one, Contract: &one, Selector: &one, Class: &one, Nonce: &one,
			Calldata: felts(1, 2), RevertReason: "r", FeeUnit: starknet.Fri,
			Envelope: Envelope{
				Signature: felts(3), MaxFee: &one, Terms: &FeeTerms{}, PaymasterData: felts(4), AccountDeploymentData: felts(5),
				ProofFacts: felts(6), CompiledClass: &one, Salt: &two,
			},
		}},
		Events:          []Event{{Event: starknet.Event{FromAddress: one, Keys: felts(1), Data: felts(2)}}},
		Messages:        []Message{{Direction: L2ToL1, Nonce: &one, Selector: &one, Payload: felts(3)}},
		Declarations:    []Declaration{{Class: one, Compiled: &two, TxIndex: pointer(0)}},
		Changes:         []ClassChange{{one, Deployed, two}},
		Implementations: []Implementation{{one, Replaced, WalletProxy, Executed{&one, &two}}},
		Untyped:         []UntypedTransfer{{one, UntypedParty, 1}},
		PoolEvents:      []PoolEvent{{Pool: one, Variant: PoolDeposit, Reading: PoolRead, Party: pointer(felt(1)), Token: pointer(felt(2)), Amount: number(1), Note: pointer(felt(3))}},
		Deployments:     []Deployment{{one, two, FromTransaction, pointer(0), &one}},
		Transfers:       []Transfer{{Standard: ERC1155, Token: one, From: one, To: two, Amount: number(1), TokenID: number(2)}},
		Activity:        []Activity{{one, 0, TxSent, 1}},
		Tokens:          []Token{{one, ERC20}},
		Classes:         []*Class{class},
	}
}

// mutate calls check once for every value inside v, changed.
func mutate(v reflect.Value, path string, check func(path string)) {
	change := func(value any) {
		was := reflect.ValueOf(v.Interface())
		v.Set(reflect.ValueOf(value).Convert(v.Type()))
		check(path)
		v.Set(was)
	}
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Field(i).CanSet() {
				mutate(v.Field(i), path+"."+v.Type().Field(i).Name, check)
			}
		}
	case reflect.Slice:
		change(reflect.Append(v, v.Index(v.Len()-1)).Interface())
		for i := range v.Len() {
			mutate(v.Index(i), path+"[]", check)
		}
	case reflect.Pointer:
		mutate(v.Elem(), path, check)
		if v.CanSet() && v.Elem().Kind() != reflect.Struct {
			change(reflect.Zero(v.Type()).Interface())
		}
	case reflect.Array:
		mutate(v.Index(v.Len()-1), path, check)
	case reflect.String:
		change(v.String() + "x")
	case reflect.Bool:
		change(!v.Bool())
	case reflect.Int:
		change(v.Int() + 1)
	default:
		change(v.Uint() + 1)
	}
}

func TestEveryValueOfABlockIsInItsDigestAndInADifference(t *testing.T) {
	t.Parallel()
	original, changed := sample(), sample()
	before := DigestOf(original).Sum()
	values := 0
	mutate(reflect.ValueOf(changed), "Block", func(path string) {
		values++
		if path == "Block.Header.Verification" { // says how the node was checked, not what the chain is
			if DigestOf(changed).Sum() != before {
				t.Errorf("%s: got another digest, want the same", path)
			}
			return
		}
		if DigestOf(changed).Sum() == before {
			t.Errorf("%s: got the same digest, want another", path)
		}
		difference, differ := FirstDifference(changed, original)
		if !differ || difference.Table == "" || difference.Column == "" && (difference.Stored == "") == (difference.Expected == "") {
			t.Errorf("%s: got %+v, want a difference that names its table and column", path, difference)
		}
	})
	if values < 110 {
		t.Errorf("got %d changed values, want at least 110", values)
	}
	if DigestOf(changed).Sum() != before {
		t.Error("got another digest at the end, want every value restored")
	}
}

func TestADifferenceNamesItsPlace(t *testing.T) {
	t.Parallel()
	events := func(data ...int) *Block {
		b := &Block{Header: Header{Number: 7}}
		for i, d := range data {
			if d >= 0 {
				b.Events = append(b.Events, Event{TxIndex: 2, LogIndex: i, Event: starknet.Event{FromAddress: felt(1), Data: felts(d)}})
			}
		}
		return b
	}
	for _, c := range []struct {
		stored, expected *Block
		want             string
	}{
		{events(5, 6), events(5, 8), "events of block 7, tx 2, log 1: data is [0x6], expected [0x8]"},
		{events(5, -1, 7), events(5, 6, 7), "events of block 7, tx 2, log 1: the row is missing, expected address 0x1, keys [], data [0x6]"},
		{events(5), events(5, 6), "events of block 7, tx 2, log 1: the row is missing, expected address 0x1, keys [], data [0x6]"},
		{events(5, 6), events(5), "events of block 7, tx 2, log 1: there is a row that is not expected: address 0x1, keys [], data [0x6]"},
		{events(5, 6, 7), events(5, -1, 7), "events of block 7, tx 2, log 1: there is a row that is not expected: address 0x1, keys [], data [0x6]"},
	} {
		if got, _ := FirstDifference(c.stored, c.expected); got.String() != c.want {
			t.Errorf("got  %s\nwant %s", got, c.want)
		}
	}
	if d, differ := FirstDifference(events(5, 6), events(5, 8), TableTransfers); differ {
		t.Errorf("another table: got %s, want no difference", d)
	}
}

func TestAFoldDependsOnTheNumbersAndTheOrderOfItsBlocks(t *testing.T) {
	t.Parallel()
	fold := func(numbers ...uint64) (f Fold) {
		for _, n := range numbers {
			f.Add(&Block{Header: Header{Number: n}})
		}
		return f
	}
	seen := map[Digest]bool{}
	for _, f := range []Fold{fold(), fold(0), fold(1), fold(0, 1), fold(1, 0), fold(0, 0)} {
		if seen[f.Sum()] {
			t.Errorf("got the digest %v twice, want another for each fold", f.Sum())
		}
		seen[f.Sum()] = true
	}
	all := fold(3, 4)
	if first, last, count := all.Blocks(); first != 3 || last != 4 || count != 2 {
		t.Errorf("got blocks %d to %d, %d in all, want 3 to 4, 2 in all", first, last, count)
	}
	if all.Table(TableTokens) == all.Table(TableBlocks) {
		t.Error("got equal digests of two tables, want different ones")
	}
}
