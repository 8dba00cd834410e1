package chain

import (
	"strings"
	"testing"
	"time"

	"astrolabe/domain"
)

func TestTimestampsAreReadStrictly(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]time.Time{
		"0":                              time.Unix(0, 0),
		"253402300799":                   time.Date(9999, 12, 31, 23, 59, 59, 0, time.UTC),
		"2026-01-01T00:00:00Z":           time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC),
		"2026-01-01t02:00:00.25+02:00":   time.Date(2026, 1, 1, 0, 0, 0, 250e6, time.UTC),
		"0000-01-01T00:00:00Z":           time.Date(0, 1, 1, 0, 0, 0, 0, time.UTC),
		"2026-01-01T00:00:00.123456789z": time.Date(2026, 1, 1, 0, 0, 0, 123456789, time.UTC),
	} {
		if got, err := ParseMoment(text); err != nil || !got.Equal(want) || got.Location() != time.UTC {
			t.Errorf("%s: %v, %v, want %v in UTC", text, got, err, want)
		}
	}
	for _, text := range []string{
		"", " 1", "+1", "-1", "01", "1.0", "1e3", "0x1", "253402300800", "18446744073709551616",
		"2026-01-01", "2026-01-01T00:00:00", "2026-01-01T00:00:00 02:00", "2026-1-01T00:00:00Z", "2026-01-01T24:00:00Z",
		"2026-01-01T00:00:60Z", "2026-02-30T00:00:00Z", "2026-01-01T00:00:00,5Z", "2026-01-01T00:00:00+24:00",
		"0000-01-01T00:00:00+01:00", "9999-12-31T23:59:59-01:00",
	} {
		if got, err := ParseMoment(text); domain.CodeOf(err) != domain.CodeInvalidRequest {
			t.Errorf("%q: got %v and %v, want %s", text, got, err, domain.CodeInvalidRequest)
		}
	}
}

func TestInvalidTimestampIsQuotedAsItWasSent(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"x", "2026-01-01t00:00:00", "Noon"} {
		if _, err := ParseMoment(text); err == nil || !strings.HasSuffix(err.Error(), `got "`+text+`".`) {
			t.Errorf("%s: got %v, want it quoted", text, err)
		}
	}
}

func FuzzMoment(f *testing.F) {
	for _, seed := range []string{"1767225782", "2026-01-01T00:00:00Z", "2026-01-01T00:00:00.5+02:00", "-1", "9999-12-31T23:59:59-01:00"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		at, err := ParseMoment(text)
		if err != nil {
			if domain.CodeOf(err) != domain.CodeInvalidRequest {
				t.Errorf("%q: got %v, want %s", text, err, domain.CodeInvalidRequest)
			}
			return
		}
		written, err := at.MarshalText()
		if err != nil {
			t.Fatalf("writing the moment %q: got %v, want no error", text, err)
		}
		if again, err := ParseMoment(string(written)); err != nil || !again.Equal(at) {
			t.Errorf("%q: got %v and %v from its text %s, want %v", text, again, err, written, at)
		}
	})
}
