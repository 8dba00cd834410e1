package resolver

import (
	"encoding/base64"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"astrolabe/domain"
)

func TestGlobalIDRoundTrips(t *testing.T) {
	t.Parallel()
	for _, id := range []globalID{
		{Type: "Chain", Chain: domain.Mainnet},
		{Type: "Event", Chain: domain.Sepolia, Key: "12:3:0xabc"},
	} {
		got, err := parseGlobalID(id.String())
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(id, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", id, diff)
		}
	}
}

func TestMalformedGlobalIDIsRejected(t *testing.T) {
	t.Parallel()
	encode := func(text string) string { return base64.RawURLEncoding.EncodeToString([]byte(text)) }
	for _, text := range []string{
		"", "!", "Chain:SN_MAIN:", encode("Chain"), encode("Chain:SN_MAIN"), encode("Chain:SN_OTHER:"),
		encode("Chain:SN_MAIN:") + "=", strings.Repeat("A", maxIDText+1),
	} {
		if _, err := parseGlobalID(text); domain.CodeOf(err) != domain.CodeInvalidRequest {
			t.Errorf("%q: got %v, want %s", text, err, domain.CodeInvalidRequest)
		}
	}
}
func FuzzGlobalID(f *testing.F) {
	f.Add((&Chain{ChainID: domain.Mainnet}).ID())
	f.Add("Q2hhaW46")
	f.Add("")
	f.Fuzz(func(t *testing.T, text string) {
		id, err := parseGlobalID(text)
		if err == nil && id.String() != text {
			t.Errorf("got the id %q for %q, want an error or the same text", id.String(), text)
		}
	})
}
