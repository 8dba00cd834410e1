package wire

import (
	"strings"
	"testing"
)

func TestObjectOfTheWrongTypeIsRejected(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`{"block_hash":"0x1","block_number":2}`:                                   "",
		` {"block_number" : 18446744073709551615, "block_hash":"0x1", "x":[{}]} `: "",
		`{"block_hash":"0x1"}`:                                                    `member "block_number" is missing`,
		`{"block_hash":"0x1","block_number":2,"block_number":2}`:                  `member "block_number" occurs twice`,
		`{"block_hash":null,"block_number":2}`:                                    "block_hash: null instead of a string",
		`{"block_hash":1,"block_number":2}`:                                       "block_hash: number instead of a string",
		`{"block_hash":"1","block_number":2}`:                                     "block_hash: malformed felt",
		`{"block_hash":"0x1","block_number":"2"}`:                                 "block_number: \"\\\"2\\\"\" is not an unsigned 64-bit integer",
		`{"block_hash":"0x1","block_number":2.0}`:                                 `"2.0" is not an unsigned 64-bit integer`,
		`{"block_hash":"0x1","block_number":-1}`:                                  `"-1" is not an unsigned 64-bit integer`,
		`{"block_hash":"0x1","block_number":18446744073709551616}`:                `"18446744073709551616" is not an unsigned 64-bit integer`,
		`{"block_hash":"0x1","block_number":02}`:                                  "malformed JSON after byte",
		`{"block_hash":"0x1","block_number":2,"x":[1,}`:                           "malformed JSON after byte",
		`{"block_hash":"0x1","block_number":2,}`:                                  "malformed JSON after byte",
		`{"block_hash":"0x1","block_number":2`:                                    "the JSON text ends too early",
		`{"block_hash":"0x1","block_number":2}{}`:                                 "data after the JSON value",
		`[]`: "[ instead of an object",
		``:   "the JSON text ends too early",
		`{"block_hash":"0x1","block_number":2,"` + strings.Repeat("x", 500) + `"}`: "malformed JSON after byte",
	} {
		_, err := DecodeHead([]byte(text))
		switch {
		case want == "" && err != nil:
			t.Errorf("%s: got %v, want no error", text, err)
		case want != "" && (err == nil || !strings.Contains(err.Error(), want) || len(err.Error()) > 200):
			t.Errorf("%s: got %v, want %s", text, err, want)
		}
	}
}
