package chain

import (
	"testing"

	"astrolabe/domain"
)

func TestABlockIsNamedByNumberHashOrTag(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"0": "0", "763497": "763497", "9007199254740991": "9007199254740991",
		"0x0": "0x0", "0x00AB": "0xab", "latest": "latest",
		"": "", "-1": "", "+1": "", "01": "", "9007199254740992": "", "99999999999999999999": "",
		"0x": "", "ab": "", "pending": "", "Latest": "", "0x800000000000011000000000000000000000000000000000000000000000001": "",
	} {
		id, err := ParseBlockID(text, Latest)
		if got := id.String(); got != want || (err != nil) != (want == "") {
			t.Errorf("%q is read as %q, %v; want %q", text, got, err, want)
		}
		if err != nil && domain.CodeOf(err) != domain.CodeInvalidRequest {
			t.Errorf("%q: got %v, want %s", text, err, domain.CodeInvalidRequest)
		}
	}
}

func FuzzParseBlockID(f *testing.F) {
	f.Add("12")
	f.Add("0xAb")
	f.Fuzz(func(t *testing.T, text string) {
		id, err := ParseBlockID(text, Latest, Pending)
		if err != nil {
			return
		}
		if again, err := ParseBlockID(id.String(), Latest, Pending); err != nil || again.String() != id.String() {
			t.Errorf("%q: got %s, then %s (%v), want the same", text, id, again, err)
		}
	})
}
