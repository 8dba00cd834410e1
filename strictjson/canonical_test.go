package strictjson

import (
	stdjson "encoding/json"
	"math"
	"testing"
)

// The vectors below are from RFC 8785 and the test data it refers to, without
// 1E30, which this package rejects.

func TestCanonicalMatchesThePublishedVectors(t *testing.T) {
	t.Parallel()
	cases := []struct{ name, document, want string }{
		{"arrays",
			`[ 56, { "d": true, "10": null, "1": [ ] } ]`,
			`[56,{"1":[],"10":null,"d":true}]`},
		{"french",
			`{"peach": "This sorting order", "p\u00e9ch\u00e9": "is wrong according to French",
			"p\u00eache": "but canonicalization MUST", "sin": "ignore locale"}`,
			`{"peach":"This sorting order","péché":"is wrong according to French",` +
				`"pêche":"but canonicalization MUST","sin":"ignore locale"}`},
		{"structures",
			`{"1": {"f": {"f": "hi","F": 5} ,"\n": 56.0}, "10": { }, "": "empty", "a": { },
			"111": [ {"e": "yes","E": "no" } ], "A": { } }`,
			`{"":"empty","1":{"\n":56,"f":{"F":5,"f":"hi"}},"10":{},"111":[{"E":"no","e":"yes"}],"A":{},"a":{}}`},
		{"unicode",
			`{"Unnormalized Unicode":"A\u030a"}`,
			"{\"Unnormalized Unicode\":\"A\u030a\"}"},
		{"values",
			`{"numbers": [333333333.33333329, 4.50, 2e-3, 0.000000000000000000000000001],
			"string": "\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/", "literals": [null, true, false]}`,
			`{"literals":[null,true,false],"numbers":[333333333.3333333,4.5,0.002,1e-27],` +
				`"string":"€$\u000f\nA'B\"\\\\\"/"}`},
		{"weird",
			`{"\u20ac": "Euro Sign", "\r": "Carriage Return", "\u000a": "Newline", "1": "One",
			"\u0080": "Control\u007f", "\ud83d\ude02": "Smiley", "\u00f6": "Latin Small Letter O With Diaeresis",
			"\ufb33": "Hebrew Letter Dalet With Dagesh", "</script>": "Browser Challenge"}`,
			`{"\n":"Newline","\r":"Carriage Return","1":"One","</script>":"Browser Challenge",` +
				"\"\u0080\":\"Control\u007f\",\"\u00f6\":\"Latin Small Letter O With Diaeresis\"," +
				"\"\u20ac\":\"Euro Sign\",\"\U0001f602\":\"Smiley\",\"\ufb33\":\"Hebrew Letter Dalet With Dagesh\"}"},
		{"sorting",
			`{"\u20ac": "Euro Sign", "\r": "Carriage Return", "\ufb33": "Hebrew Letter Dalet With Dagesh", "1": "One",
			"\ud83d\ude00": "Emoji: Grinning Face", "\u0080": "Control", "\u00f6": "Latin Small Letter O With Diaeresis"}`,
			`{"\r":"Carriage Return","1":"One",` + "\"\u0080\":\"Control\",\"\u00f6\":\"Latin Small Letter O With Diaeresis\"," +
				"\"\u20ac\":\"Euro Sign\",\"\U0001f600\":\"Emoji: Grinning Face\",\"\ufb33\":\"Hebrew Letter Dalet With Dagesh\"}"},
		{"escapes",
			`"\u0000\u0008\u0009\u000a\u000c\u000d\u001f\u0022\u005c\u002f\u007f\u2028\u00e9<>&"`,
			`"\u0000\b\t\n\f\r\u001f\"\\/` + "\u007f\u2028é<>&\""},
		{"true", " true ", "true"},
		{"null", "null", "null"},
		{"minus zero", "[-0, -0.0, 0e5, -1]", "[0,0,0,-1]"},
		{"spellings", "[12345, 12345.0, 12345e0, 1.2345e4, 123450e-1]", "[12345,12345,12345,12345,12345]"},
		{"largest", "[9007199254740991, -9007199254740991.0]", "[9007199254740991,-9007199254740991]"},
		{"smallest", "[1e-307, -0.00123e-304]", "[1e-307,-1.23e-307]"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got, err := Canonical([]byte(c.document))
			if err != nil || string(got) != c.want {
				t.Errorf("got  %s, %v\nwant %s", got, err, c.want)
			}
		})
	}
}

func TestDoublesArePrintedAsTheAppendixShows(t *testing.T) {
	t.Parallel()
	table := map[uint64]string{
		0x0000000000000000: "0",
		0x8000000000000000: "0",
		0x0000000000000001: "5e-324",
		0x8000000000000001: "-5e-324",
		0x7fefffffffffffff: "1.7976931348623157e+308",
		0xffefffffffffffff: "-1.7976931348623157e+308",
		0x4340000000000000: "9007199254740992",
		0xc340000000000000: "-9007199254740992",
		0x4430000000000000: "295147905179352830000",
		0x44b52d02c7e14af5: "9.999999999999997e+22",
		0x44b52d02c7e14af6: "1e+23",
		0x44b52d02c7e14af7: "1.0000000000000001e+23",
		0x444b1ae4d6e2ef4e: "999999999999999700000",
		0x444b1ae4d6e2ef4f: "999999999999999900000",
		0x444b1ae4d6e2ef50: "1e+21",
		0x3eb0c6f7a0b5ed8c: "9.999999999999997e-7",
		0x3eb0c6f7a0b5ed8d: "0.000001",
		0x41b3de4355555553: "333333333.3333332",
		0x41b3de4355555554: "333333333.33333325",
		0x41b3de4355555555: "333333333.3333333",
		0x41b3de4355555556: "333333333.3333334",
		0x41b3de4355555557: "333333333.33333343",
		0xbecbf647612f3696: "-0.0000033333333333333333",
		0x43143ff3c1cb0959: "1424953923781206.2",
	}
	for bits, want := range table {
		if got := appendDouble(nil, math.Float64frombits(bits)); string(got) != want {
			t.Errorf("%016x: got %s, want %s", bits, got, want)
		}
	}
}

func TestCanonicalRefusesNumbersItWouldChange(t *testing.T) {
	t.Parallel()
	for _, number := range []string{
		"9007199254740992", "-9007199254740992", "9007199254740993", "9007199254740991.5", "9007199254740992.0",
		"1E30", "1e16", "0.9007199254740992e16", "123456789012345678901234567890", "1.7976931348623157e+308", "1e400",
	} {
		_, err := Canonical([]byte(`{"a":[0,` + number + `]}`))
		expectError(t, err, Error{Kind: NumberOutOfRange, Path: "/a/1", Message: "number beyond ±9007199254740991"})
	}
	for _, number := range []string{"5e-324", "-9.99e-308", "1e-400", "0.1e-9999"} {
		_, err := Canonical([]byte(`[` + number + `]`))
		expectError(t, err, Error{Kind: NumberOutOfRange, Path: "/0", Message: "number too close to zero"})
	}
	_, err := Canonical([]byte(`[1e-10000]`))
	expectError(t, err, Error{Kind: NumberOutOfRange, Path: "/0", Message: "exponent beyond 9999"})
}

func TestCanonicalLeavesItsInputAlone(t *testing.T) {
	t.Parallel()
	document := []byte(`{"b":1.0, "a":"\u0041"}`)
	before := string(document)
	if _, err := Canonical(document); err != nil {
		t.Fatal(err)
	}
	if string(document) != before {
		t.Errorf("got the input changed to %s, want %s", document, before)
	}
}

func TestAReceiptIsTheSameBytesHoweverItsIntegersAreSpelled(t *testing.T) {
	t.Parallel()
	type evidence struct {
		ReceiptID   Integer `json:"receiptId"`
		JobID       string  `json:"jobId"`
		Declaration struct {
			BlockNumber Integer `json:"blockNumber"`
		} `json:"declaration"`
		NotProofOf []string `json:"notProofOf"`
	}
	const want = `{"declaration":{"blockNumber":120000},"jobId":"vrf_1","notProofOf":["security","audit"],"receiptId":42}`
	for _, document := range []string{
		`{"receiptId":42,"jobId":"vrf_1","declaration":{"blockNumber":120000},"notProofOf":["security","audit"]}`,
		`{"notProofOf":["security","audit"],"declaration":{"blockNumber":1.2e5},"receiptId":42.0,"jobId":"vrf_\u0031"}`,
		`{"declaration":{"blockNumber":12000000e-2},"receiptId":0.42e2,"jobId":"vrf_1","notProofOf":["security","audit"]}`,
	} {
		var parsed evidence
		if err := Decode([]byte(document), &parsed); err != nil {
			t.Fatal(err)
		}
		typed, err := stdjson.Marshal(parsed)
		if err != nil {
			t.Fatal(err)
		}
		for _, text := range []string{document, string(typed)} {
			if got, err := Canonical([]byte(text)); err != nil || string(got) != want {
				t.Errorf("Canonical(%s) = %s, %v, want %s", text, got, err, want)
			}
		}
	}
}
