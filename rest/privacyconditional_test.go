package rest

import (
	"crypto/sha256"
	"fmt"
	"net/http"
	"testing"
	"time"
)

const seriesPath = tvlPath + "/series?granularity=hour&from=2026-01-04T00:00:00Z&to=2026-01-31T00:00:00Z"

// revalidate asks with conditions for a packed and for a plain body, with GET and
// HEAD.
func (l *ledger) revalidate(path string, want int, conditions ...string) {
	l.t.Helper()
	for _, accepted := range []string{"gzip", "identity"} {
		for _, method := range []string{http.MethodGet, http.MethodHead} {
			a := l.ask(method, path, append(conditions, "Accept-Encoding", accepted)...)
			if a.StatusCode != want || (a.body == "") != (want == http.StatusNotModified || method == http.MethodHead) {
				l.t.Errorf("%s %s with %q as %s: got %d and %d bytes, want %d", method, path, conditions, accepted, a.StatusCode, len(a.body), want)
			}
			for _, name := range []string{"ETag", "Last-Modified", "Cache-Control", "X-Ratelimit-Limit", "X-Ratelimit-Remaining", "X-Ratelimit-Policy", "X-Request-Id", "Vary"} {
				if a.Header.Get(name) == "" {
					l.t.Errorf("%s %s with %q: got no %s, want it also in %d", method, path, conditions, name, want)
				}
			}
			encoding := ""
			if accepted == "gzip" && want == http.StatusOK {
				encoding = accepted
			}
			if got := a.Header.Get("Content-Encoding"); method == http.MethodGet && got != encoding {
				l.t.Errorf("%s %s with %q as %s: got Content-Encoding %q, want %q", method, path, conditions, accepted, got, encoding)
			}
		}
	}
}

// validators reads a body, whose tag must be that of the uncompressed bytes.
func (l *ledger) validators(path string) (tag string, modified time.Time) {
	l.t.Helper()
	for _, accepted := range []string{"identity", "gzip"} {
		a := l.ask(http.MethodGet, path, "Accept-Encoding", accepted)
		tag = a.Header.Get("ETag")
		if want := fmt.Sprintf(`W/"sha256-%x"`, sha256.Sum256([]byte(a.body))); tag != want || a.StatusCode != http.StatusOK {
			l.t.Errorf("%s as %s: got %d with the tag %s, want 200 with %s", path, accepted, a.StatusCode, tag, want)
		}
		var err error
		if modified, err = http.ParseTime(a.Header.Get("Last-Modified")); err != nil {
			l.t.Error(err)
		}
	}
	return tag, modified
}

func (l *ledger) checkConditions(path string) {
	l.t.Helper()
	l.client.Transport.(*http.Transport).DisableCompression = true
	tag, modified := l.validators(path)
	same, before := modified.Format(http.TimeFormat), modified.Add(-time.Second).Format(http.TimeFormat)
	l.revalidate(path, http.StatusNotModified, "If-None-Match", tag)
	l.revalidate(path, http.StatusNotModified, "If-None-Match", tag[2:])
	l.revalidate(path, http.StatusNotModified, "If-None-Match", `"a", W/"b",`+tag, "If-Modified-Since", before)
	l.revalidate(path, http.StatusNotModified, "If-None-Match", "*")
	l.revalidate(path, http.StatusNotModified, "If-Modified-Since", same)
	l.revalidate(path, http.StatusOK, "If-None-Match", `"a"`, "If-Modified-Since", same)
	l.revalidate(path, http.StatusOK, "If-Modified-Since", before)
	l.revalidate(path, http.StatusOK, "If-Modified-Since", modified.Format(time.RFC3339))
}

func TestConditionalReadsOfTheSnapshot(t *testing.T) {
	t.Parallel()
	l := newLedger(t)
	l.checkConditions(tvlPath)
	tag, modified := l.validators(tvlPath)
	if want := l.time.Load().Truncate(time.Second); !modified.Equal(want) {
		t.Errorf("got Last-Modified %s, want the time of the generation %s", modified, want)
	}
	l.pass(time.Minute)
	if again, when := l.validators(tvlPath); again != tag || !when.Equal(modified) {
		t.Errorf("got %s of %s for the same bytes, want %s of %s", again, when, tag, modified)
	}
	l.do("UPDATE privacy_ledgers SET missing = 7 WHERE chain = 1")
	l.pass(time.Second)
	l.revalidate(tvlPath, http.StatusOK, "If-None-Match", tag)
	if changed, when := l.validators(tvlPath); changed == tag || !when.Equal(modified.Add(time.Minute+time.Second)) {
		t.Errorf("got %s of %s for other bytes, want another tag of a minute later", changed, when)
	}
}

func TestTheSnapshotIsServedAgainWithinItsSecond(t *testing.T) {
	t.Parallel()
	l := newLedger(t)
	tag, _ := l.validators(tvlPath)
	l.do("UPDATE privacy_ledgers SET missing = 7 WHERE chain = 1")
	l.pass(500 * time.Millisecond)
	if again, _ := l.validators(tvlPath); again != tag {
		t.Errorf("got %s in the same second, want %s", again, tag)
	}
	l.pass(500 * time.Millisecond)
	if changed, _ := l.validators(tvlPath); changed == tag {
		t.Errorf("got %s in the next second, want another one", tag)
	}
}

func TestConditionalReadsOfPoints(t *testing.T) {
	t.Parallel()
	l := newLedger(t)
	l.checkConditions(seriesPath)
	var newest time.Time
	for _, point := range decodeBody[tvlPage](t, l.get(seriesPath)).Items {
		if point.AsOf.MaterializedAt.After(newest) {
			newest = point.AsOf.MaterializedAt
		}
	}
	if _, modified := l.validators(seriesPath); !modified.Equal(newest.Truncate(time.Second)) {
		t.Errorf("got Last-Modified %s, want the newest materializedAt %s", modified, newest)
	}
	empty := tvlPath + "/series?granularity=hour&from=2020-01-01T00:00:00Z&to=2020-01-01T05:00:00Z"
	tag, modified := l.validators(empty)
	if !modified.Equal(time.Unix(0, 0)) {
		t.Errorf("got Last-Modified %s of an empty page, want the Unix epoch", modified)
	}
	a := l.ask(http.MethodGet, empty, "If-None-Match", tag)
	b := l.ask(http.MethodGet, empty, "If-Modified-Since", modified.Format(http.TimeFormat))
	if a.StatusCode != http.StatusNotModified || b.StatusCode != http.StatusNotModified {
		t.Errorf("got %d by the tag and %d by the date of an empty page, want 304", a.StatusCode, b.StatusCode)
	}
}

// TestEveryConditionalOperationHasATag compares the mark in the table with what
// operations answer.
func TestEveryConditionalOperationHasATag(t *testing.T) {
	t.Parallel()
	l := newLedger(t)
	conditional := map[string]bool{}
	for _, op := range Table() {
		conditional[op.Path] = op.Conditional
	}
	for path, query := range map[string]string{
		"/tvl": "", "/tvl/series": seriesPath[len(tvlPath+"/series"):], "/metric-buckets": "", "/metrics/series": "", "/analytics": "", "/status": "",
	} {
		want := conditional["/v1/{chain}/privacy-pool"+path]
		if got := l.get("/v1/SN_MAIN/privacy-pool"+path+query).Header.Get("ETag") != ""; got != want {
			t.Errorf("%s: got a tag %t, want %t", path, got, want)
		}
	}
}
