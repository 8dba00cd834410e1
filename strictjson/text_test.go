package strictjson

import (
	"strings"
	"testing"
)

// eachEntry runs a test for every function that reads a document.
func eachEntry(t *testing.T, claim func(t *testing.T, read func(document string) error)) {
	t.Helper()
	entries := map[string]func(string) error{
		"Decode": func(document string) error { var v any; return Decode([]byte(document), &v) },
		"Raw":    func(document string) error { var v Raw; return Decode([]byte(document), &v) },
		"Canonical": func(document string) error {
			_, err := Canonical([]byte(document))
			return err
		},
	}
	for name, read := range entries {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			claim(t, read)
		})
	}
}

func TestEveryReaderRefusesWhatIsNotOneJSONValue(t *testing.T) {
	t.Parallel()
	cases := []struct {
		document string
		want     Error
	}{
		{"", Error{Kind: Syntax, Message: "the JSON text ends too early"}},
		{" \n", Error{Kind: Syntax, Message: "the JSON text ends too early"}},
		{`{"a":1`, Error{Kind: Syntax, Message: "the JSON text ends too early"}},
		{`"a`, Error{Kind: Syntax, Message: "the JSON text ends too early"}},
		{`nul`, Error{Kind: Syntax, Message: "the JSON text ends too early"}},
		{`nil`, Error{Kind: Syntax, Message: "malformed JSON at byte 1"}},
		{`{"a":[1,]}`, Error{Kind: Syntax, Path: "/a", Message: "malformed JSON at byte 7"}},
		{`{"a":1,}`, Error{Kind: Syntax, Message: "malformed JSON at byte 6"}},
		{`{"a"}`, Error{Kind: Syntax, Path: "/a", Message: "malformed JSON at byte 4"}},
		{`[1.]`, Error{Kind: Syntax, Path: "/0", Message: "malformed JSON at byte 3"}},
		{`01`, Error{Kind: TrailingData, Message: "data after the JSON value"}},
		{`+1`, Error{Kind: Syntax, Message: "malformed JSON at byte 0"}},
		{`{a:1}`, Error{Kind: Syntax, Message: "malformed JSON at byte 1"}},
		{`'a'`, Error{Kind: Syntax, Message: "malformed JSON at byte 0"}},
		{"\"a\nb\"", Error{Kind: Syntax, Message: "malformed JSON at byte 2"}},
		{`["\x"]`, Error{Kind: Syntax, Path: "/0", Message: "malformed JSON at byte 2"}},
		{`["\ud83d"]`, Error{Kind: Syntax, Path: "/0", Message: "malformed JSON at byte 2"}},
		{`["\ude02\ud83d"]`, Error{Kind: Syntax, Path: "/0", Message: "malformed JSON at byte 2"}},
		{"\xef\xbb\xbf{}", Error{Kind: Syntax, Message: "a byte order mark is not allowed"}},
		{"[\"\xff\"]", Error{Kind: InvalidUTF8, Message: "the text is not valid UTF-8"}},
		{"[\"\xed\xa0\x80\"]", Error{Kind: InvalidUTF8, Message: "the text is not valid UTF-8"}},
		{`{} {}`, Error{Kind: TrailingData, Message: "data after the JSON value"}},
		{`{}]`, Error{Kind: TrailingData, Message: "data after the JSON value"}},
		{"{}\x00", Error{Kind: TrailingData, Message: "data after the JSON value"}},
		{`{"a":{"b":1,"b":1}}`, Error{Kind: DuplicateKey, Path: "/a/b", Key: "b", Message: `duplicate key "b"`}},
		{`{"":1,"":1}`, Error{Kind: DuplicateKey, Path: "/", Message: `duplicate key ""`}},
	}
	eachEntry(t, func(t *testing.T, read func(string) error) {
		for _, c := range cases {
			expectError(t, read(c.document), c.want)
		}
	})
}

func TestEveryReaderBoundsDepth(t *testing.T) {
	t.Parallel()
	arrays := func(depth int) string { return strings.Repeat("[", depth) + strings.Repeat("]", depth) }
	objects := func(depth int) string {
		return strings.Repeat(`{"[\"[":`, depth) + "0" + strings.Repeat("}", depth)
	}
	eachEntry(t, func(t *testing.T, read func(string) error) {
		for _, accepted := range []string{
			arrays(MaxDepth), objects(MaxDepth), "[" + strings.Repeat("[],", 1000) + `"[[["]`,
		} {
			if err := read(accepted); err != nil {
				t.Errorf("%.20s: got %v, want no error", accepted, err)
			}
		}
		for _, refused := range []string{
			arrays(MaxDepth + 1), objects(MaxDepth + 1), strings.Repeat("[", 1<<20), strings.Repeat(`{"":`, 1<<18),
		} {
			expectError(t, read(refused), Error{Kind: TooDeep, Message: "nested more than 64 levels deep"})
		}
	})
}

func TestDepthOfADocumentCanBeRaised(t *testing.T) {
	t.Parallel()
	arrays := func(depth int) []byte {
		return []byte(strings.Repeat("[", depth) + strings.Repeat("]", depth))
	}
	var value any
	if err := Decode(arrays(100), &value, AllowDepth(100)); err != nil {
		t.Errorf("got %v, want 100 levels accepted", err)
	}
	expectError(t, Decode(arrays(101), &value, AllowDepth(100)), Error{Kind: TooDeep, Message: "nested more than 100 levels deep"})
}
