package strictjson

import "testing"

func TestMemberIsReadNextToADuplicateKey(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`{"a":{"x":1,"x":2},"id": 1.0 }`: `1.0`,
		`{"a":1,"a":2,"\u0069d":null}`:   `null`,
		`{"id":1,"a":2,"id":1}`:          "",
		`{"id":1,"\u0069d":1}`:           "",
		`{"a":{"id":1}}`:                 "",
		`{"ID":1}`:                       "",
		`{"id":1,"Id":2}`:                "",
		`{"id":1} x`:                     "",
		`{"id":1`:                        "",
		`["id"]`:                         "",
		`"id"`:                           "",
		``:                               "",
	} {
		got, found := Member([]byte(text), "id")
		if string(got) != want || found != (want != "") {
			t.Errorf("%s: got %q and %t, want %q", text, got, found, want)
		}
	}
}
