package strictjson

import (
	"bytes"
	"errors"
	"testing"

	"github.com/go-json-experiment/json"
)

// documents are the seeds of the fuzz target.
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
			t.Fatalf("an error without meaning: %#v", err)
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
