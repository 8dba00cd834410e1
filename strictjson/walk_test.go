package strictjson_test

import (
	"strings"
	"testing"

	"astrolabe/strictjson"
)

func TestElementAndMemberReturnAPartByteForByte(t *testing.T) {
	t.Parallel()
	const array, object = `[ 1.0 , {"a":[2]} ,"\u0041" ]`, `{ "x":[1] , "\u0062" : 1.50 ,"y":null}`
	for index, want := range map[int]string{0: "1.0", 1: `{"a":[2]}`, 2: `"\u0041"`, 3: ""} {
		if got, ok := strictjson.Element([]byte(array), index); string(got) != want || ok != (want != "") {
			t.Errorf("element %d: got %s and %t, want %s", index, got, ok, want)
		}
	}
	for name, want := range map[string]string{"x": "[1]", "b": "1.50", "y": "null", "z": "", "X": ""} {
		if got, ok := strictjson.Member([]byte(object), name); string(got) != want || ok != (want != "") {
			t.Errorf("member %s: got %s and %t, want %s", name, got, ok, want)
		}
	}
	for _, text := range []string{"", "null", "5", "[", "{", `{"a`, `[1`} {
		if got, ok := strictjson.Element([]byte(text), 1); ok {
			t.Errorf("element of %s: got %s, want none", text, got)
		}
		if got, ok := strictjson.Member([]byte(text), "a"); ok {
			t.Errorf("member of %s: got %s, want none", text, got)
		}
	}
}

// It is not parallel: it measures the process.
func TestElementAllocatesNothingForTheOthers(t *testing.T) {
	text := []byte("[" + strings.Repeat(`"0x1",`, 100_000) + `"0x2"]`)
	if got := testing.AllocsPerRun(3, func() { strictjson.Element(text, 1) }); got > 20 {
		t.Errorf("got %v allocations for one element of many, want a few", got)
	}
}
