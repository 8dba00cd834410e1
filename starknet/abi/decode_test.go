package abi

import (
	"errors"
	"fmt"
	"math/big"
	"slices"
	"strings"
	"testing"

	"astrolabe/starknet"
)

func mustCompile(tb testing.TB, text string) *Schema {
	tb.Helper()
	schema, err := Compile([]byte(text))
	if err != nil {
		tb.Fatal(err)
	}
	return schema
}

// felts reads numbers, negative ones modulo the field prime.
func felts(tb testing.TB, numbers ...any) []starknet.Felt {
	tb.Helper()
	list := make([]starknet.Felt, len(numbers))
	for i, n := range numbers {
		switch n := n.(type) {
		case int:
			v := big.NewInt(int64(n))
			if n < 0 {
				v.Add(v, starknet.Prime())
			}
			f, err := starknet.FeltFromBig(v)
			if err != nil {
				tb.Fatal(err)
			}
			list[i] = f
		case string:
			list[i] = starknet.MustFelt(n)
		case starknet.Felt:
			list[i] = n
		}
	}
	return list
}

const (
	twoTo128  = "0x100000000000000000000000000000000"
	max128    = "0xffffffffffffffffffffffffffffffff"
	min128    = "0x800000000000010ffffffffffffffff80000000000000000000000000000001"
	below128  = "0x800000000000010ffffffffffffffff80000000000000000000000000000000"
	definedAt = `{"type":"struct","name":"m::Point","members":[{"name":"x","type":"core::felt252"},{"name":"y","type":"core::integer::u8"}]},
{"type":"enum","name":"m::Choice","variants":[{"name":"Nothing","type":"()"},{"name":"One","type":"core::integer::u256"},{"name":"Pair","type":"(core::bool, m::Point)"}]},
{"type":"struct","name":"m::Empty","members":[]},
{"type":"struct","name":"core::array::Span::<core::felt252>","members":[{"name":"snapshot","type":"@core::array::Array::<core::felt252>"}]},
{"type":"enum","name":"core::bool","variants":[{"name":"False","type":"()"},{"name":"True","type":"()"}]}`
)

// functionOf compiles a schema with one function f that takes one argument of that type.
func functionOf(tb testing.TB, typeName string) *Function {
	tb.Helper()
	schema := mustCompile(tb, fmt.Sprintf(`[%s,{"type":"function","name":"f","inputs":[{"name":"a","type":%q}],"outputs":[],"state_mutability":"view"}]`, definedAt, typeName))
	return schema.Function(starknet.Selector("f"))
}

func TestValuesOfEveryType(t *testing.T) {
	t.Parallel()
	text := starknet.AppendByteArray(nil, []byte("Astrolabe, an explorer of the chain called Starknet"))
	for _, c := range []struct {
		typeName string
		payload  []starknet.Felt
		kind     Kind
		display  string
	}{
		{"core::felt252", felts(t, 255), KindFelt, "0xff"},
		{"felt", felts(t, -1), KindFelt, "0x800000000000011000000000000000000000000000000000000000000000000"},
		{"core::bool", felts(t, 1), KindBool, "true"},
		{"core::bool", felts(t, 0), KindBool, "false"},
		{"core::integer::u8", felts(t, 255), KindU256, "255"},
		{"core::integer::u16", felts(t, 65535), KindU256, "65535"},
		{"core::integer::u32", felts(t, 1<<32-1), KindU256, "4294967295"},
		{"core::integer::u64", felts(t, "0xffffffffffffffff"), KindU256, "18446744073709551615"},
		{"core::integer::u128", felts(t, max128), KindU256, "340282366920938463463374607431768211455"},
		{"core::integer::u256", felts(t, 0, 1), KindU256, "340282366920938463463374607431768211456"},
		{"core::integer::i8", felts(t, -128), KindFelt, "-128"},
		{"core::integer::i8", felts(t, 127), KindFelt, "127"},
		{"core::integer::i16", felts(t, -32768), KindFelt, "-32768"},
		{"core::integer::i32", felts(t, -1), KindFelt, "-1"},
		{"core::integer::i64", felts(t, 7), KindFelt, "7"},
		{"core::integer::i128", felts(t, min128), KindFelt, "-170141183460469231731687303715884105728"},
		{"core::starknet::contract_address::ContractAddress", felts(t, 0x1234), KindAddress, "0x1234"},
		{"core::starknet::class_hash::ClassHash", felts(t, 0x1234), KindHash, "0x1234"},
		{"core::starknet::eth_address::EthAddress", felts(t, 0x1234), KindAddress, "0x1234"},
		{"core::bytes_31::bytes31", felts(t, 0x1234), KindFelt, "0x1234"},
		{"core::byte_array::ByteArray", text, KindText, "Astrolabe, an explorer of the chain called Starknet"},
		{"core::byte_array::ByteArray", felts(t, 0, 0xff, 1), KindText, "[0x0, 0xff, 0x1]"},
		{"core::array::Array::<core::felt252>", felts(t, 2, 1, 2), KindArray, "[0x1, 0x2]"},
		{"core::array::Span::<core::felt252>", felts(t, 0), KindArray, "[]"},
		{"@core::array::Array::<core::integer::u256>", felts(t, 1, 5, 0), KindArray, "[5]"},
		{"core::array::Span::<core::array::Array::<core::integer::u8>>", felts(t, 2, 0, 1, 9), KindArray, "[[], [9]]"},
		{"[core::integer::u8; 3]", felts(t, 1, 2, 3), KindArray, "[1, 2, 3]"},
		{"[core::integer::u256; 1]", felts(t, 1, 0), KindArray, "[1]"},
		{"(core::felt252, core::bool)", felts(t, 1, 0), KindStruct, "(0x1, false)"},
		{"(x: felt, y: felt)", felts(t, 1, 2), KindStruct, "(0x1, 0x2)"},
		{"()", nil, KindStruct, "()"},
		{"m::Empty", nil, KindStruct, "{}"},
		{"m::Point", felts(t, 16, 2), KindStruct, "{x: 0x10, y: 2}"},
		{"m::Choice", felts(t, 0), KindStruct, "Nothing"},
		{"m::Choice", felts(t, 1, 5, 0), KindStruct, "One(5)"},
		{"m::Choice", felts(t, 2, 1, 3, 4), KindStruct, "Pair((true, {x: 0x3, y: 4}))"},
		{"core::option::Option::<core::integer::u8>", felts(t, 0, 9), KindStruct, "Some(9)"},
		{"core::option::Option::<core::integer::u8>", felts(t, 1), KindStruct, "None"},
		{"core::result::Result::<core::integer::u8, core::felt252>", felts(t, 1, 9), KindStruct, "Err(0x9)"},
		{"core::zeroable::NonZero::<core::integer::u256>", felts(t, 0, 1), KindU256, "340282366920938463463374607431768211456"},
		{"core::box::Box::<m::Point>", felts(t, 1, 2), KindStruct, "{x: 0x1, y: 2}"},
	} {
		f := functionOf(t, c.typeName)
		fields, err := f.DecodeInputs(c.payload)
		if err != nil {
			t.Errorf("%s: got %v, want no error", c.typeName, err)
			continue
		}
		if got := fields[0].String(); got != c.display || fields[0].Type.Kind() != c.kind {
			t.Errorf("%s: %s %s, want %s %s", c.typeName, fields[0].Type.Kind(), got, c.kind, c.display)
		}
		if !slices.Equal(EncodeFields(fields), c.payload) || !slices.Equal(fields[0].Raw, c.payload) {
			t.Errorf("%s: got %v and raw %v, want %v", c.typeName, EncodeFields(fields), fields[0].Raw, c.payload)
		}
		for missing := range len(c.payload) {
			if _, err := f.DecodeInputs(c.payload[:missing]); !errors.Is(err, ErrPayloadMismatch) {
				t.Errorf("%s, %d of %d felts: got %v, want %v", c.typeName, missing, len(c.payload), err, ErrPayloadMismatch)
			}
		}
		if _, err := f.DecodeInputs(append(slices.Clip(c.payload), starknet.Felt{})); !errors.Is(err, ErrPayloadMismatch) {
			t.Errorf("%s, one felt too many: got %v, want %v", c.typeName, err, ErrPayloadMismatch)
		}
	}
}

func TestValuesOutsideTheirTypeAreRefused(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		typeName string
		payload  []starknet.Felt
	}{
		{"core::bool", felts(t, 2)},
		{"core::integer::u8", felts(t, 256)},
		{"core::integer::u128", felts(t, twoTo128)},
		{"core::integer::u256", felts(t, twoTo128, 0)},
		{"core::integer::u256", felts(t, 0, twoTo128)},
		{"core::integer::i8", felts(t, 128)},
		{"core::integer::i8", felts(t, -129)},
		{"core::integer::i128", felts(t, below128)},
		{"core::starknet::contract_address::ContractAddress", felts(t, -1)},
		{"core::starknet::eth_address::EthAddress", felts(t, "0x10000000000000000000000000000000000000000")},
		{"core::bytes_31::bytes31", felts(t, -1)},
		{"core::byte_array::ByteArray", felts(t, 0, 0, 31)},
		{"core::array::Array::<core::felt252>", felts(t, -1)},
		{"core::array::Array::<core::felt252>", felts(t, "0xffffffffffffffff", 1)},
		{"core::array::Array::<m::Point>", felts(t, "0x8000000000000000", 1, 2)},
		{"m::Choice", felts(t, 3)},
		{"m::Choice", felts(t, -1)},
		{"core::zeroable::NonZero::<core::integer::u256>", felts(t, 0, 0)},
	} {
		if _, err := functionOf(t, c.typeName).DecodeInputs(c.payload); !errors.Is(err, ErrPayloadMismatch) {
			t.Errorf("%s of %v: got %v, want %v", c.typeName, c.payload, err, ErrPayloadMismatch)
		}
	}
}

func TestTypesWithoutAMeaningAreUnsupported(t *testing.T) {
	t.Parallel()
	deep := strings.Repeat("core::box::Box::<", 100) + "felt" + strings.Repeat(">", 100)
	for _, typeName := range []string{
		"", "core::nothing", "core::array::Array::<", "core::array::Array::<>", "core::array::Array::<core::felt252", "core::array::Array::<()>",
		"core::array::Array::<m::Empty>", "[felt; x]", "[felt; 99999999999]", "[felt]", "[(); 3]", "(felt,,felt)", "(felt", "felt*", "@", deep,
		"core::zeroable::NonZero::<m::Point>", "core::array::Array::<felt>>", "core::option::Option::<felt, felt>",
	} {
		if err := functionOf(t, typeName).UnsupportedInputs(); !errors.Is(err, ErrUnsupportedType) {
			t.Errorf("%.40q: got %v, want %v", typeName, err, ErrUnsupportedType)
		}
	}
}

func TestRecursiveTypesAreDetected(t *testing.T) {
	t.Parallel()
	schema := mustCompile(t, `[
{"type":"struct","name":"m::A","members":[{"name":"b","type":"m::B"}]},
{"type":"struct","name":"m::B","members":[{"name":"a","type":"core::array::Array::<m::A>"}]},
{"type":"function","name":"f","inputs":[{"name":"a","type":"m::A"}],"outputs":[{"type":"core::felt252"}]}]`)
	f := schema.Function(starknet.Selector("f"))
	if err := f.UnsupportedInputs(); !errors.Is(err, ErrRecursiveType) || !errors.Is(err, ErrUnsupportedType) {
		t.Errorf("inputs: got %v, want %v that is %v", err, ErrRecursiveType, ErrUnsupportedType)
	}
	if _, err := f.DecodeInputs(felts(t, 0)); !errors.Is(err, ErrRecursiveType) {
		t.Errorf("decoding: got %v, want %v", err, ErrRecursiveType)
	}
	if fields, err := f.DecodeOutputs(felts(t, 7)); err != nil || len(fields) != 1 {
		t.Errorf("got the outputs %v, %v, want one", fields, err)
	}
}

// A type of 2^40 empty parts costs no more than its budget.
func TestEmptyPartsDoNotMultiply(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	b.WriteString(`[{"type":"struct","name":"s0","members":[]}`)
	for i := 1; i <= 40; i++ {
		fmt.Fprintf(&b, `,{"type":"struct","name":"s%d","members":[{"name":"a","type":"s%d"},{"name":"b","type":"s%d"}]}`, i, i-1, i-1)
	}
	b.WriteString(`,{"type":"function","name":"f","inputs":[{"name":"a","type":"s40"}],"outputs":[]}]`)
	f := mustCompile(t, b.String()).Function(starknet.Selector("f"))
	if _, err := f.DecodeInputs(nil); !errors.Is(err, ErrPayloadMismatch) {
		t.Errorf("got %v, want %v", err, ErrPayloadMismatch)
	}
}

func TestCairo0PointersTakeTheirLengthFromTheParameterBefore(t *testing.T) {
	t.Parallel()
	schema := mustCompile(t, `[`+uint256Struct+`,
{"type":"struct","name":"Call","size":2,"members":[{"name":"to","type":"felt","offset":0},{"name":"n","type":"Uint256","offset":1}]},
{"type":"function","name":"f","inputs":[{"name":"calls_len","type":"felt"},{"name":"calls","type":"Call*"},{"name":"x_len","type":"felt"},{"name":"x","type":"felt*"}],"outputs":[],"stateMutability":"view"},
{"type":"event","name":"e","keys":[{"name":"k","type":"felt"}],"data":[{"name":"a_len","type":"felt"},{"name":"a","type":"felt*"},{"name":"last","type":"felt"}]},
{"type":"function","name":"raw","inputs":[{"name":"calldata_size","type":"felt"},{"name":"calldata","type":"felt*"}],"outputs":[]}]`)
	f := schema.Function(starknet.Selector("f"))
	payload := felts(t, 2, 1, 2, 0, 3, 4, 0, 1, 9)
	fields, err := f.DecodeInputs(payload)
	if err != nil || fields[1].String() != "[{to: 0x1, n: 2}, {to: 0x3, n: 4}]" || fields[3].String() != "[0x9]" || !f.View {
		t.Fatalf("got %v, %v, view %v, want two structs, [0x9] and a view", fields, err, f.View)
	}
	if !slices.Equal(EncodeFields(fields), payload) || !slices.Equal(fields[1].OriginIndexes(), []int{1, 2, 3, 4, 5, 6}) {
		t.Errorf("got %v from %v, want %v from 1 to 6", EncodeFields(fields), fields[1].OriginIndexes(), payload)
	}
	for _, bad := range [][]starknet.Felt{felts(t, 3, 1, 2, 0, 3, 4, 0, 1, 9), felts(t, -1), felts(t, "0xffffffffffffffff", 1, 2, 0, 0)} {
		if _, err := f.DecodeInputs(bad); !errors.Is(err, ErrPayloadMismatch) {
			t.Errorf("%v: got %v, want %v", bad, err, ErrPayloadMismatch)
		}
	}
	keys, data := []starknet.Felt{starknet.Selector("e"), starknet.FeltFromUint64(5)}, felts(t, 2, 7, 8, 6)
	event, err := schema.DecodeEvent(keys, data)
	if err != nil || event.Fields[0].Source != FromKeys || event.Fields[2].String() != "[0x7, 0x8]" {
		t.Fatalf("got %+v, %v, want its first field from keys and [0x7, 0x8]", event, err)
	}
	checkRoundTrip(t, &event, keys, data)
	if err := schema.Function(starknet.Selector("raw")).UnsupportedInputs(); !errors.Is(err, ErrUnsupportedType) {
		t.Errorf("raw calldata: got %v, want %v", err, ErrUnsupportedType)
	}
}

func TestMalformedABIsAreRefused(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"", "null garbage", "{}", `"x"`, `[7]`, `[{"type":7}]`, `[{"type":"struct","members":{}}]`, `[{"type":"event"`,
	} {
		if _, err := Compile([]byte(text)); !errors.Is(err, ErrMalformedABI) {
			t.Errorf("%s: got %v, want %v", text, err, ErrMalformedABI)
		}
	}
}

func TestTwoFunctionsOfOneNameAreAmbiguousUnlessEqual(t *testing.T) {
	t.Parallel()
	one := `{"type":"function","name":"f","inputs":[{"name":"a","type":"core::felt252"}],"outputs":[]}`
	other := `{"type":"interface","name":"i","items":[{"type":"function","name":"f","inputs":[{"name":"a","type":"core::bool"}],"outputs":[]}]}`
	selector := starknet.Selector("f")
	if _, err := mustCompile(t, `[`+one+`,`+one+`]`).Function(selector).DecodeInputs(felts(t, 1)); err != nil {
		t.Errorf("equal functions: got %v, want no error", err)
	}
	if _, err := mustCompile(t, `[`+one+`,`+other+`,`+other+`]`).Function(selector).DecodeInputs(felts(t, 1)); !errors.Is(err, ErrAmbiguous) {
		t.Errorf("different functions: got %v, want %v", err, ErrAmbiguous)
	}
}
