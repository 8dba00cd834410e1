package rpc

import (
	"encoding/json"
	"testing"
)

func FuzzBlockID(f *testing.F) {
	for _, seed := range []string{`"latest"`, `{"block_number":5}`, `{"block_hash":"0x1"}`, `{"block_number":5,"block_hash":"0x1"}`, `null`, `{}`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var id blockID
		if json.Unmarshal([]byte(text), &id) != nil || text == "null" {
			return
		}
		named := 0
		for _, is := range []bool{id.tag != "", id.Number != nil, id.Hash != nil} {
			if is {
				named++
			}
		}
		if named != 1 {
			t.Errorf("%s: got %d named blocks, want 1", text, named)
		}
	})
}

func FuzzCursor(f *testing.F) {
	f.Add("12-3-4")
	f.Add("1-2")
	f.Add("01-2-3")
	f.Fuzz(func(t *testing.T, text string) {
		if c, err := parseCursor(text); err == nil && text != "" && c.String() != text {
			t.Errorf("got %s, want %q", c, text)
		}
	})
}

func TestArgumentsComeByPositionOrByName(t *testing.T) {
	t.Parallel()
	names := []string{"first", "second"}
	for raw, want := range map[string]string{
		``: "|", `[]`: "|", `[1]`: "1|", `[1,2]`: "1|2", `{"second":2}`: "|2", `{"second":2,"first":1}`: "1|2",
		`[1,2,3]`: "error", `{"third":3}`: "error", `7`: "error",
	} {
		p, err := readParams(json.RawMessage(raw), names)
		got := "error"
		if err == nil {
			got = string(p[0]) + "|" + string(p[1])
		}
		if got != want {
			t.Errorf("%s: got %s, want %s", raw, got, want)
		}
	}
}
