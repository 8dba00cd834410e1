package strictjson

import (
	"bytes"
	stdjson "encoding/json"
	"errors"
	"math/big"
	"testing"
)

func TestExactFormsAreEqualForEqualValuesOnly(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{} // the forms of earlier groups
	for _, group := range [][]string{
		{`{"a":1,"b":[2,3]}`, `{"b":[2.0,30e-1],"a":1e0}`, " { \"\\u0061\" : 0.1e1 , \"b\" : [ 2 , 3 ] } "},
		{`{"a":1,"b":[3,2]}`},
		{`{"a":1,"b":[2,3],"c":null}`},
		{`9007199254740993`, `9007199254740993.000`, `9.007199254740993e15`},
		{`9007199254740992`},
		{`0.1`, `1e-1`, `0.10`}, {`0.1000000000000000000000000001`},
		{`0`, `-0`, `0.0`, `-0e999`}, {`"0"`}, {`false`}, {`null`}, {`""`},
		{`1e9999`, `10e9998`}, {`-1e9999`}, {`1e-9999`},
	} {
		want, err := Exact([]byte(group[0]))
		if err != nil {
			t.Fatalf("%s: %v", group[0], err)
		}
		for _, text := range group[1:] {
			if got, err := Exact([]byte(text)); err != nil || !bytes.Equal(got, want) {
				t.Errorf("%s: got %s and %v, want %s", text, got, err, want)
			}
		}
		if seen[string(want)] {
			t.Errorf("%s: got %s as for another value, want one of its own", group[0], want)
		}
		seen[string(want)] = true
	}
}

func TestExactRejectsWhatItCannotCompare(t *testing.T) {
	t.Parallel()
	for text, kind := range map[string]Kind{`{"a":1,"a":1}`: DuplicateKey, `1e10000`: NumberOutOfRange, `1 2`: TrailingData, `[1`: Syntax} {
		_, err := Exact([]byte(text))
		if refused, ok := errors.AsType[*Error](err); !ok || refused.Kind != kind {
			t.Errorf("%s: got %v, want %s", text, err, kind)
		}
	}
}

// FuzzExact checks that the form is its own form, and that numbers keep their
// exact value.
func FuzzExact(f *testing.F) {
	for _, document := range documents {
		f.Add([]byte(document))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		form, err := Exact(data)
		if err != nil {
			return
		}
		again, err := Exact(form)
		if refused, ok := errors.AsType[*Error](err); ok && refused.Kind == NumberOutOfRange {
			return // 10e9999 became 1e10000
		}
		if err != nil || !bytes.Equal(again, form) {
			t.Fatalf("got %s and %v, want the form %s again", again, err, form)
		}
		var number stdjson.Number
		if stdjson.Unmarshal(data, &number) != nil || len(number) > 40 || bytes.ContainsAny(data, `"eE`) {
			return
		}
		before, ok := new(big.Rat).SetString(number.String())
		after, _ := new(big.Rat).SetString(string(form))
		if ok && before.Cmp(after) != 0 {
			t.Errorf("%s: got %s, want the same number", data, form)
		}
	})
}
