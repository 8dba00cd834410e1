package rest

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"astrolabe/domain"
	privacydomain "astrolabe/domain/privacy"
)

// points reads all pages of a range.
func (l *ledger) points(from, to string, limit int) (points []tvlPage) {
	l.t.Helper()
	path := fmt.Sprintf("%s/series?granularity=hour&from=%s&to=%s&limit=%d", tvlPath, from, to, limit)
	for next := ""; ; {
		page := decodeBody[tvlPage](l.t, l.get(path+next))
		points = append(points, page)
		if page.NextCursor == nil {
			return points
		}
		next = "&cursor=" + url.QueryEscape(*page.NextCursor)
	}
}

// TestPointsAreListedFromTheOldestOfTheRange: the first event is at 23:00 of
// 4 January and the newest finalized block at 18:30 of the next day, so that the
// last whole hour is 17:00.
func TestPointsAreListedFromTheOldestOfTheRange(t *testing.T) {
	t.Parallel()
	l := newLedger(t)
	first := time.Date(2026, 1, 4, 23, 0, 0, 0, time.UTC)
	for _, limit := range []int{1, 5, 18, 19, 20, 24} {
		at := first
		for _, page := range l.points("2000-01-01T00:00:00Z", "2030-01-01T00:00:00Z", limit) {
			if len(page.Items) > limit || page.Limit != limit {
				t.Errorf("got %d items, want at most %d", len(page.Items), limit)
			}
			for _, point := range page.Items {
				if !point.Timestamp.Equal(at) || !point.AsOf.BlockTimestamp.Equal(at.Add(30*time.Minute)) {
					t.Errorf("got %s as of %s, want %s with the last block before its end", point.Timestamp, point.AsOf.BlockTimestamp, at)
				}
				at = at.Add(time.Hour)
			}
		}
		if want := first.Add(19 * time.Hour); !at.Equal(want) {
			t.Errorf("with a limit of %d: got points up to %s, want up to %s", limit, at, want)
		}
	}
	for name, c := range map[string]struct {
		from, to string
		want     int
	}{
		"one hour":         {"2026-01-05T10:00:00Z", "2026-01-05T10:00:00Z", 1},
		"both ends count":  {"2026-01-05T10:00:00Z", "2026-01-05T12:00:00.000Z", 3},
		"before the pool":  {"2026-01-04T00:00:00Z", "2026-01-04T22:00:00Z", 0},
		"after the ledger": {"2026-01-05T18:00:00Z", "2026-01-06T00:00:00Z", 0},
	} {
		pages := l.points(c.from, c.to, 24)
		if len(pages) != 1 || len(pages[0].Items) != c.want || pages[0].Items == nil {
			t.Errorf("%s: got %+v, want %d points", name, pages, c.want)
		}
	}
}

func TestTheLastPointEqualsTheSnapshotAtItsBlock(t *testing.T) {
	t.Parallel()
	l := newLedger(t)
	l.do("UPDATE blocks SET timestamp = timestamp + 1800 WHERE block >= 45; UPDATE privacy_ledgers SET block = NULL WHERE chain = 1") // a block that begins an hour publishes the one before
	l.extend()
	pages := l.points("2026-01-04T00:00:00Z", "2026-02-01T00:00:00Z", 24)
	last := pages[len(pages)-1].Items[len(pages[len(pages)-1].Items)-1]
	snapshot := l.tvl()
	if last.AsOf.BlockNumber != 44 || *last.AsOf.LatestEventCursor != *snapshot.Coverage.LatestEventCursor { // nothing flows in block 45
		t.Fatalf("got the point of block %d at %s, want 44 at %s", last.AsOf.BlockNumber, *last.AsOf.LatestEventCursor, *snapshot.Coverage.LatestEventCursor)
	}
	for i, asset := range snapshot.Assets {
		if diff := cmp.Diff(asset.FlowBody, last.Assets[i].FlowBody); diff != "" || last.Assets[i].Token.Address != asset.Token.Address {
			t.Errorf("%s (-snapshot +point):\n%s", asset.Token.Address, diff)
		}
	}
}

func TestAPointIsCompleteOnlyIfEveryRuleHolds(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, change string
		degraded     bool
	}{
		{"nothing is wrong", "", false},
		{"the index begins after the pool", later, true},
		{"the events are of another version", "UPDATE deriver_versions SET version = 0 WHERE fact = 'privacy_events'", true},
		{"a flow has no amount", "UPDATE privacy_points SET missing = 1", true},
		{"a flow of an asset has no amount", "UPDATE privacy_point_assets SET missing = 1", true},
		{"more of an asset flowed out than in", "UPDATE privacy_point_assets SET withdrawn = deposited + 1", true},
		{"the ledger is behind", "UPDATE privacy_ledgers SET target = 46 WHERE chain = 1", false}, // points are of the past
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			l := newLedger(t)
			l.do(covered)
			l.do(c.change)
			point := l.points("2026-01-05T17:00:00Z", "2026-01-05T17:00:00Z", 1)[0].Items[0]
			status, reason := privacydomain.Complete, privacydomain.ReasonLedger
			if c.degraded {
				status, reason = privacydomain.Degraded, privacydomain.ReasonIncomplete
			}
			if point.Status != status || point.ReasonCode != reason {
				t.Errorf("got %s %s, want %s %s", point.Status, point.ReasonCode, status, reason)
			}
		})
	}
	l := newLedger(t)
	l.do("UPDATE privacy_ledgers SET block = NULL WHERE chain = 1") // the points are still stored
	if pages := l.points("2026-01-04T00:00:00Z", "2026-02-01T00:00:00Z", 24); len(pages[0].Items) != 0 {
		t.Errorf("got %d points of an empty ledger, want none", len(pages[0].Items))
	}
}

func TestRangesOfPointsAreChecked(t *testing.T) {
	t.Parallel()
	l := newLedger(t)
	const hour = "2026-01-05T10:00:00Z"
	page := decodeBody[tvlPage](t, l.get(tvlPath+"/series?granularity=hour&limit=1&from=2026-01-05T00:00:00Z&to="+hour))
	for query, named := range map[string]string{
		"granularity=hour&to=" + hour:                                                                   "from",
		"granularity=hour&from=" + hour:                                                                 "to",
		"from=" + hour + "&to=" + hour:                                                                  "granularity",
		"granularity=day&from=" + hour + "&to=" + hour:                                                  "granularity",
		"granularity=hour&from=" + hour + "&to=2026-01-05T09:00:00Z":                                    "from must not be later than to",
		"granularity=hour&from=2026-01-05T10:30:00Z&to=" + hour:                                         "from",
		"granularity=hour&from=2026-01-05T12:00:00%2B02:00&to=" + hour:                                  "from",
		"granularity=hour&limit=25&from=" + hour + "&to=" + hour:                                        "limit",
		"granularity=hour&limit=0&from=" + hour + "&to=" + hour:                                         "limit",
		"granularity=hour&from=" + hour + "&to=" + hour + "&token=0x1":                                  "token",
		"granularity=hour&limit=1&from=2026-01-05T01:00:00Z&to=" + hour + "&cursor=" + *page.NextCursor: "invalid_cursor",
	} {
		e := requireFailure(t, l.get(tvlPath+"/series?"+query), http.StatusBadRequest, domain.CodeInvalidRequest)
		if !strings.Contains(e.Message, named) {
			t.Errorf("%s: got %q, want it to name %s", query, e.Message, named)
		}
	}
	again := l.get(tvlPath + "/series?granularity=hour&limit=24&from=2026-01-05T00:00:00%2B00:00&to=2026-01-05T10:00:00.0Z&cursor=" + *page.NextCursor)
	if got := decodeBody[tvlPage](t, again); len(got.Items) != 10 { // the same range in another form
		t.Errorf("got %d points after the first of eleven, want 10", len(got.Items))
	}
}
