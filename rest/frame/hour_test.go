package frame

import (
	"strings"
	"testing"
	"time"

	"astrolabe/domain"
)

func TestHoursHaveOneCanonicalForm(t *testing.T) {
	t.Parallel()
	p := Param{Name: "from", In: InQuery, Kind: HourKind}
	for text, want := range map[string]string{
		"2026-01-31T15:00:00Z":         "2026-01-31T15:00:00Z",
		"2026-01-31T15:00:00+00:00":    "2026-01-31T15:00:00Z",
		"2026-01-31T15:00:00.000Z":     "2026-01-31T15:00:00Z",
		"0000-01-01T00:00:00Z":         "0000-01-01T00:00:00Z",
		"9999-12-31T23:00:00Z":         "9999-12-31T23:00:00Z",
		"2024-02-29T00:00:00Z":         "2024-02-29T00:00:00Z",
		"2026-02-29T00:00:00Z":         "", // no such day
		"2026-01-31T24:00:00Z":         "",
		"2026-01-31T15:30:00Z":         "", // within an hour
		"2026-01-31T15:00:01Z":         "",
		"2026-01-31T15:00:00.001Z":     "",
		"2026-01-31T15:00:00+02:00":    "", // not UTC
		"2026-01-31T15:00:00-00:00":    "",
		"2026-01-31T15:00:00":          "",
		"2026-01-31T15:00Z":            "",
		"2026-01-31 15:00:00Z":         "", // a plus that was not escaped is a space
		"2026-01-31T15:00:00 00:00":    "",
		"1769871600":                   "",
		"":                             "",
		strings.Repeat("2", 300) + "Z": "",
	} {
		got, err := p.canonical(text)
		if got != want || (err != nil) != (want == "") || err != nil && domain.CodeOf(err) != domain.CodeInvalidRequest {
			t.Errorf("%q: got %q and %v, want %q", text, got, err, want)
		}
	}
}

func FuzzAnHourIsAlignedAndCanonical(f *testing.F) {
	f.Add("2026-01-31T15:00:00Z")
	f.Add("2026-01-31T15:00:00.000+00:00")
	f.Fuzz(func(t *testing.T, text string) {
		p := Param{Name: "from", In: InQuery, Kind: HourKind}
		canonical, err := p.canonical(text)
		if err != nil {
			return
		}
		at, err := time.Parse(time.RFC3339, canonical)
		if again, failed := p.canonical(canonical); err != nil || failed != nil || again != canonical || at.Unix()%3600 != 0 {
			t.Errorf("%q: got %q (%v), again %q (%v), want one aligned form", text, canonical, err, again, failed)
		}
	})
}
