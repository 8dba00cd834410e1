package strictjson

import (
	"bytes"
	stdjson "encoding/json"
	"errors"
	"math/big"
	"reflect"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
)

// documents are the seeds of the fuzz targets that read whole documents.
var documents = []string{
	packageBody,
	`{"name":"n","flag":true,"ratio":0.5,"small":-1,"pair":[1,2e0],"free":{"a":[1e3]},"byName":{"k":{"count":0}}}`,
	`{"name":"n","flag":true,"ratio":0.5,"small":-1,"children":[{"name":"","flag":false,"ratio":0,"small":0}]}`,
	`{"b":[1,1.0,1e0,-0,0.1,5e-324],"a":{"\u20ac":"\ud83d\ude02","\r":null}}`,
	`[9007199254740991,9007199254740992,1e400,1e-400,1e1000000000]`,
	`{"a":1,"a":2}`, `{"a":1} x`, `"\ud800"`, "\xef\xbb\xbf{}", "[\"\xff\"]", `[[[[[[]]]]]]`, ``, `null`,
}

func FuzzDecode(f *testing.F) {
	for _, document := range documents {
		f.Add([]byte(document))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		decodeAgain[everything](t, data)
		decodeAgain[buildPackage](t, data)
		decodeAgain[proveBody](t, data)
		decodeAgain[any](t, data)
	})
}

// decodeAgain checks that an accepted document, written again, is accepted again
// and means the same.
func decodeAgain[T any](t *testing.T, data []byte) {
	t.Helper()
	var first, second T
	if err := Decode(data, &first); err != nil {
		if refused, ok := errors.AsType[*Error](err); !ok || refused.Kind == "" || refused.Message == "" {
			t.Fatalf("got %#v, want an *Error with a kind and a message", err)
		}
		return
	}
	encoded, err := json.Marshal(first, json.Deterministic(true))
	if err != nil {
		t.Fatalf("cannot write what was read: %v", err)
	}
	if err := Decode(encoded, &second); err != nil {
		t.Fatalf("cannot read %s again: %v", encoded, err)
	}
	again, err := json.Marshal(second, json.Deterministic(true))
	if err != nil || !bytes.Equal(encoded, again) {
		t.Fatalf("got %s, %v, want %s", again, err, encoded)
	}
}

func FuzzCanonical(f *testing.F) {
	for _, document := range documents {
		f.Add([]byte(document))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		canonical, err := Canonical(data)
		if err != nil {
			return
		}
		again, err := Canonical(canonical)
		if err != nil || !bytes.Equal(canonical, again) {
			t.Fatalf("got %s, %v, want %s unchanged", again, err, canonical)
		}
		var before, after any
		if err := stdjson.Unmarshal(data, &before); err != nil {
			t.Fatal(err)
		}
		if err := stdjson.Unmarshal(canonical, &after); err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(before, after) {
			t.Fatalf("got %s, want the meaning of %s", canonical, data)
		}
	})
}

func FuzzInteger(f *testing.F) {
	for _, number := range []string{
		"12345", "12345.0", "12345e0", "1.2345e4", "123450e-1", "0", "-0", "0.5", "-1", "9007199254740991",
		"9007199254740992", "9007199254740991.5", "90071992547409910e-1", "1e1000000000", "0e77", `"1"`, "01", "1.",
	} {
		f.Add(number)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var got Integer
		err := Decode([]byte(text), &got)
		number := strings.TrimSpace(text)
		_, exponent, _ := strings.Cut(strings.ToLower(number), "e")
		if len(number) > 60 || len(exponent) > 4 {
			return // too long for the reference
		}
		want, ok := new(big.Rat).SetString(number)
		ok = ok && stdjson.Valid([]byte(text)) && !strings.Contains(number, `"`) && !strings.HasPrefix(number, "-") &&
			want.IsInt() && want.Num().Cmp(new(big.Int).SetUint64(uint64(MaxInteger))) <= 0
		switch {
		case ok != (err == nil):
			t.Fatalf("%s: got %v, want accepted %t, as the exact value is %v", number, err, ok, want)
		case ok && want.Num().Uint64() != uint64(got):
			t.Fatalf("%s: got %d, want %s", number, got, want.Num())
		}
	})
}
