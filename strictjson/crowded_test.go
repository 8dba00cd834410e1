package strictjson_test

import (
	"strings"
	"testing"

	"astrolabe/strictjson"
)

func TestCrowdedCountsTheMembersOfEachObject(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		`{"a":1,"b":2}`:                         false,
		`{"a":1,"b":2,"c":3}`:                   true,
		`[{"a":1,"b":2},{"a":1,"b":2}]`:         false,
		`{"a":{"a":1,"b":2},"b":{"a":1}}`:       false,
		`{"a":{"a":1,"b":2,"c":{}}}`:            true,
		`{"a:b:c:d":":::","b\"::::":"\\"}`:      false,
		`}}]{"a":1}`:                            false,
		strings.Repeat("[", 100) + `{"a":1}`:    false,
		`{"a":` + strings.Repeat("[", 99) + `}`: false,
	} {
		if got := strictjson.Crowded([]byte(text), 2); got != want {
			t.Errorf("%s: got %t, want %t", text, got, want)
		}
	}
}
