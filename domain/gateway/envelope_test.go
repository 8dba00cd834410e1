package gateway

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestBodyIsSplitIntoRequests(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		body  string
		batch bool
		want  []Request
	}{
		"by position":                    {`{"jsonrpc":"2.0","id":7,"method":"starknet_call","params":[ {"a":1.0},"latest" ]}`, false, []Request{{ID: json.RawMessage(`7`), Method: "starknet_call", Params: json.RawMessage(`[ {"a":1.0},"latest" ]`)}}},
		"by name":                        {`{"jsonrpc":"2.0","id":"x","method":"m","params":{"block_id":"latest"}}`, false, []Request{{ID: json.RawMessage(`"x"`), Method: "m", Params: json.RawMessage(`{"block_id":"latest"}`)}}},
		"without params":                 {` {"jsonrpc":"2.0","id":null,"method":"m"}`, false, []Request{{ID: json.RawMessage(`null`), Method: "m"}}},
		"with null for no params":        {`{"jsonrpc":"2.0","id":1,"method":"m","params":null}`, false, []Request{{ID: json.RawMessage(`1`), Method: "m", Params: json.RawMessage(`null`)}}},
		"a notification":                 {`{"jsonrpc":"2.0","method":"m"}`, false, []Request{{Method: "m"}}},
		"with an unknown key":            {`{"jsonrpc":"2.0","id":1,"method":"m","trace":true}`, false, []Request{{ID: json.RawMessage(`1`), Method: "m"}}},
		"a batch in its order":           {"\n[{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"a\"},{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"b\"}]", true, []Request{{ID: json.RawMessage(`1`), Method: "a"}, {ID: json.RawMessage(`2`), Method: "b"}}},
		"a batch after much white space": {strings.Repeat(" \t\r\n", 1000) + `[{"jsonrpc":"2.0","id":1,"method":"a"}]`, true, []Request{{ID: json.RawMessage(`1`), Method: "a"}}},
		"a number beyond int64":          {`{"jsonrpc":"2.0","id":123456789012345678901234567890,"method":"m"}`, false, []Request{{ID: json.RawMessage(`123456789012345678901234567890`), Method: "m"}}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, batch, err := Parse([]byte(test.body))
			if err != nil {
				t.Fatal(err)
			}
			if batch != test.batch {
				t.Errorf("got batch %t, want %t", batch, test.batch)
			}
			if diff := cmp.Diff(test.want, got, cmp.AllowUnexported(Error{})); diff != "" {
				t.Errorf("requests (-want +got):\n%s", diff)
			}
		})
	}
}

func TestInvalidBodiesAreRefused(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		body   string
		code   int
		reason Reason
	}{
		"empty":                       {``, ParseError, ReasonParse},
		"not JSON":                    {`{"jsonrpc":`, ParseError, ReasonParse},
		"trailing data":               {`{"jsonrpc":"2.0","id":1,"method":"m"} x`, ParseError, ReasonParse},
		"not UTF-8":                   {"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"\xff\"}", ParseError, ReasonParse},
		"a batch that is cut":         {`[{"jsonrpc":"2.0","id":1,"method":"m"}`, ParseError, ReasonParse},
		"an empty batch":              {`[]`, InvalidRequest, ReasonInvalidRequest},
		"a batch of 51":               {"[" + strings.Repeat(`1,`, 50) + "1]", InvalidRequest, ReasonBatchTooLarge},
		"nested too deeply":           {strings.Repeat("[", 65) + strings.Repeat("]", 65), InvalidRequest, ReasonInvalidRequest},
		"a number":                    {`1`, InvalidRequest, ReasonInvalidRequest},
		"another version":             {`{"jsonrpc":"1.0","id":1,"method":"m"}`, InvalidRequest, ReasonInvalidRequest},
		"without a version":           {`{"id":1,"method":"m"}`, InvalidRequest, ReasonInvalidRequest},
		"without a method":            {`{"jsonrpc":"2.0","id":1}`, InvalidRequest, ReasonInvalidRequest},
		"an escape in the method":     {`{"jsonrpc":"2.0","id":1,"method":"starknet_\u0063all"}`, InvalidRequest, ReasonInvalidRequest},
		"a number as method":          {`{"jsonrpc":"2.0","id":1,"method":5}`, InvalidRequest, ReasonInvalidRequest},
		"an object as id":             {`{"jsonrpc":"2.0","id":{},"method":"m"}`, InvalidRequest, ReasonInvalidRequest},
		"a very long id":              {`{"jsonrpc":"2.0","id":"` + strings.Repeat("x", 300) + `","method":"m"}`, InvalidRequest, ReasonInvalidRequest},
		"text as params":              {`{"jsonrpc":"2.0","id":1,"method":"m","params":"x"}`, InvalidRequest, ReasonInvalidRequest},
		"a duplicate method":          {`{"jsonrpc":"2.0","id":1,"method":"a","method":"b"}`, InvalidRequest, ReasonInvalidRequest},
		"a duplicate spelled by code": {`{"jsonrpc":"2.0","id":1,"method":"a","meth\u006fd":"b"}`, InvalidRequest, ReasonInvalidRequest},
		"duplicate params":            {`{"jsonrpc":"2.0","id":1,"method":"a","params":[],"params":[1]}`, InvalidRequest, ReasonInvalidRequest},
		"a duplicate key in params":   {`{"jsonrpc":"2.0","id":1,"method":"a","params":{"x":1,"x":2}}`, InvalidParams, ReasonParams},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			requests, _, err := Parse([]byte(test.body))
			if err == nil {
				err = requests[0].Invalid
			}
			if err == nil || err.Code != test.code || err.Reason != test.reason {
				t.Fatalf("got %v, want code %d and reason %s", err, test.code, test.reason)
			}
			if len(requests) > 0 && requests[0].ID == nil {
				t.Error("got no id, want one: an invalid request is answered")
			}
		})
	}
}

func TestOneBadRequestDoesNotSpoilItsBatch(t *testing.T) {
	t.Parallel()
	requests, batch, err := Parse([]byte(`[1,{"jsonrpc":"2.0","id":1,"method":"a","id":2},{"jsonrpc":"2.0","id":3,"method":"b"}]`))
	if err != nil || !batch || len(requests) != 3 {
		t.Fatalf("got %d requests, batch %t, error %v; want 3 of a batch", len(requests), batch, err)
	}
	for i, r := range requests {
		if invalid := i < 2; (r.Invalid != nil) != invalid {
			t.Errorf("request %d: got error %v, want one: %t", i, r.Invalid, invalid)
		}
	}
}

func TestRefusedRequestKeepsAnIDThatCanBeRead(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ text, want string }{
		"a duplicate key in the params":       {`{"jsonrpc":"2.0","id":"x7","method":"m","params":{"a":1,"a":2}}`, `"x7"`},
		"a duplicate key deep in the params":  {`{"jsonrpc":"2.0","method":"m","params":[{"a":{"b":1,"b":2}}],"id":7}`, `7`},
		"a duplicate method":                  {`{"jsonrpc":"2.0","id":7,"method":"m","method":"n"}`, `7`},
		"an id and another version":           {`{"jsonrpc":"1.0","id":7,"method":"m"}`, `7`},
		"a duplicate id":                      {`{"jsonrpc":"2.0","id":7,"id":8,"method":"m"}`, `null`},
		"a duplicate key and an object as id": {`{"jsonrpc":"2.0","id":{},"method":"m","params":{"a":1,"a":2}}`, `null`},
		"a duplicate key in the id":           {`{"jsonrpc":"2.0","id":{"a":1,"a":2},"method":"m"}`, `null`},
		"a duplicate key and no id":           {`{"jsonrpc":"2.0","method":"m","params":{"a":1,"a":2}}`, `null`},
		"a number":                            {`5`, `null`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, body := range []string{test.text, "[" + test.text + "]"} {
				requests, _, err := Parse([]byte(body))
				if err != nil {
					t.Fatal(err)
				}
				if got := requests[0]; got.Invalid == nil || string(got.ID) != test.want {
					t.Errorf("%s: got id %s and %v, want it refused with id %s", body, got.ID, got.Invalid, test.want)
				}
			}
		})
	}
}
