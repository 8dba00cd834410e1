package strictjson

import (
	"encoding/hex"
	"testing"
)

func digestOf(t *testing.T, document string) string {
	t.Helper()
	digest, err := Digest([]byte(document))
	if err != nil {
		t.Fatalf("%s: %v", document, err)
	}
	return hex.EncodeToString(digest[:])
}

func TestBodiesThatSayTheSameShareADigest(t *testing.T) {
	t.Parallel()
	for _, same := range [][]string{
		{`{"a":1,"b":{"c":2,"d":[3,4]}}`, `{"b":{"d":[3,4],"c":2},"a":1}`, "{ \"b\" : {\"d\":[ 3,4 ],\n\"c\":2},\t\"a\":1 }"},
		{`"A/é😂"`, `"\u0041\/\u00e9\ud83d\ude02"`},
		{`{"A":1}`, `{"\u0041":1}`},
		{`1`, `1.0`, `1e0`, `10e-1`, `0.1e1`, `1.000E+00`},
		{`0`, `-0`, `0.0`, `0e99`, `-0.0e-7`},
		{`12300`, `123e2`, `1.23e4`},
		{`0.1`, `1e-1`, `0.10`},
		{`123456789012345678901234567890`, `1.2345678901234567890123456789e29`},
	} {
		want := digestOf(t, same[0])
		for _, other := range same[1:] {
			if digestOf(t, other) != want {
				t.Errorf("%s and %s differ", same[0], other)
			}
		}
	}
}

func TestBodiesThatDifferHaveDifferentDigests(t *testing.T) {
	t.Parallel()
	seen := map[string]string{}
	for _, document := range []string{
		`null`, `false`, `true`, `0`, `1`, `-1`, `10`, `100`, `"1"`, `"0"`, `"null"`, `[]`, `{}`, `[[]]`, `[{}]`, `[null]`,
		`9007199254740991`, `9007199254740992`, `9007199254740993`, `9007199254740992.5`,
		`0.1`, `0.10000000000000000555`, `1e-400`, `-1e-400`, `1e400`, `1e401`, `1e9999`, `1e-9999`,
		`[1,2]`, `[2,1]`, `[12]`, `[1,[2]]`, `{"a":[1,2]}`, `{"a":[2,1]}`, `{"a":1,"b":2}`, `{"a":2,"b":1}`, `{"A":1,"b":2}`,
		`"é"`, `"e\u0301"`, `"a"`, `"A"`, `"a "`, `""`, `"1e0"`, `{"":""}`, `{"a":null}`,
	} {
		digest := digestOf(t, document)
		if other, found := seen[digest]; found {
			t.Errorf("%s and %s share a digest", document, other)
		}
		seen[digest] = document
	}
}

func TestStoredDigestsStayValid(t *testing.T) {
	t.Parallel()
	const document = `{"transaction":{"type":"INVOKE","tip":"0x0","calldata":["0x1","\u0030x2"]},"block_id":{"block_number":120.5e1},"z":[-0.25,0,null,true]}`
	const want = "8058f45fb1f43b709fd6b54e4e3ef10ae088c14459222bd1bbfa054d50ef30d9"
	if got := digestOf(t, document); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestDigestRefusesExponentsItWillNotRead(t *testing.T) {
	t.Parallel()
	_, err := Digest([]byte(`{"a":1e10000}`))
	expectError(t, err, Error{Kind: NumberOutOfRange, Path: "/a", Message: "exponent beyond 9999"})
}
