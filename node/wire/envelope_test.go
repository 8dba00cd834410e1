package wire

import (
	"bytes"
	"encoding/json"
	"testing"
)

// FuzzAnswer holds the splitting of an answer against the standard decoder:
// all valid JSON is split into the same parts.
func FuzzAnswer(f *testing.F) {
	for _, seed := range []string{
		`{"jsonrpc":"2.0","id":1,"result":{"a":[1,"]}",{"b":"\\\""}]}}`,
		` { "jsonrpc" : "2.0" , "error" : {"code":-1,"message":"x"} , "id" : 1 } `,
		`{"jsonrpc":"2.0","method":"m","params":{"subscription_id":"s","result":null}}`,
		`{"jsonrpc":"2.0","id":1,"result":[}}`, `{"jsonrpc":"2.0","id":1,"result":"\"}`,
		`{"jsonrpc":"2.0","id":1,"result":1,"result":2}`, `{}`, `[]`, `{"a"`, ``, `{"a":}`, `{,}`, `{"a":1}x`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		a, err := SplitAnswer(text)
		_, _ = DecodeAnswer(text, 1)
		_, _, _, _ = a.Notification()
		if err != nil {
			return
		}
		if !json.Valid(text) {
			t.Fatalf("%q: got a result, want an error because it is not JSON", text)
		}
		var want map[string]json.RawMessage
		if err := json.Unmarshal(text, &want); err != nil {
			t.Fatalf("got a result, want an error because it is not an object: %v", err)
		}
		for key, got := range map[string][]byte{
			"jsonrpc": a.version, "id": a.id, "result": a.result, "error": a.failure, "method": a.method, "params": a.params,
		} {
			if !bytes.Equal(got, want[key]) {
				t.Errorf("%s: got %q, want %q", key, got, want[key])
			}
		}
	})
}

func TestValidResponseIsParsedWithAnyWhitespace(t *testing.T) {
	t.Parallel()
	const text = "\r\n\t { \"result\" :\t[ {\"a\" : \"}]\\\\\" } ] , \"x\":{}, \"jsonrpc\":\"2.0\"\n,\"id\":12 } \n"
	got, err := DecodeAnswer([]byte(text), 12)
	if err != nil || string(got) != `[ {"a" : "}]\\" } ]` {
		t.Errorf("got %s and %v, want the array unchanged", got, err)
	}
}

func TestEveryTruncatedResponseIsRejected(t *testing.T) {
	t.Parallel()
	const text = `{"jsonrpc":"2.0","id":1,"result":{"a":["x\"",1]}}`
	if _, err := DecodeAnswer([]byte(text), 1); err != nil {
		t.Fatal(err)
	}
	for i := range text {
		if got, err := DecodeAnswer([]byte(text[:i]), 1); err == nil {
			t.Errorf("cut to %q: got %s, want an error", text[:i], got)
		}
	}
}
