package account

import (
	"context"
	"testing"
	"time"
)

func TestUseRecordsTheKeyOrNothing(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		caller *Caller
		want   Use
	}{
		{"a key", &Caller{Kind: ByKey, Workspace: "wsp_a", Subject: "abcdefghijkl"}, Use{Workspace: "wsp_a", PublicID: "abcdefghijkl"}},
		{"a session", &Caller{Kind: BySession, Workspace: "wsp_a", Subject: "ses_a"}, Use{Workspace: "wsp_a"}},
		{"a page", &Caller{Kind: ByFirstParty, Subject: "192.0.2.1"}, Use{}},
		{"nobody", nil, Use{}},
	} {
		if got := UseBy(c.caller); got != c.want {
			t.Errorf("%s gives %+v, want %+v", c.name, got, c.want)
		}
	}
}

// noUses is an empty store of usage.
type noUses struct{ UsageStore }

func (noUses) ReadUsage(context.Context, string, time.Time, int, int) (UsageReport, error) {
	return UsageReport{}, nil
}

func TestUsageReportEndsAtAWholeMillisecond(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 7, 2, 14, 34, 56, 7_999_999, time.FixedZone("CEST", 7200))
	got, err := NewUsage(noUses{}, func() time.Time { return now }).Report(t.Context(), "wsp_a")
	start, end := time.Date(2026, 7, 1, 12, 0, 0, 0, time.UTC), time.Date(2026, 7, 2, 12, 34, 56, 7_000_000, time.UTC)
	if err != nil || got.WindowStart != start || got.WindowEnd != end {
		t.Errorf("the window is %s to %s, %v, want %s to %s", got.WindowStart, got.WindowEnd, err, start, end)
	}
}
