package frame

import (
	"bytes"
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// newest is when the answer of versionedAnswer changed.
var newest = time.Date(2026, 11, 16, 12, 0, 0, 5e8, time.UTC)

const (
	versionedBody = `{"a":1}`
	// versionedTag is the SHA-256 of versionedBody.
	versionedTag = `W/"sha256-015abd7f5cc57a2dd94b7590f04ad8084273905ee33ec5cebeae62276a97f862"`
)

// versionedAnswer asks an operation with a Versioned answer.
func versionedAnswer(method string, header ...string) *httptest.ResponseRecorder {
	op := Operation{
		Method: http.MethodGet, Path: "/", Class: Light, Timeout: time.Second, Cache: "no-cache", Success: http.StatusOK, Conditional: true,
		Handle: func(context.Context, *Call) (any, error) { return Versioned{[]byte(versionedBody), newest}, nil },
	}
	request, answer := httptest.NewRequest(method, "/", nil), httptest.NewRecorder()
	for i := 0; i+1 < len(header); i += 2 {
		request.Header.Add(header[i], header[i+1])
	}
	new(Dispatcher).Handler(op).ServeHTTP(answer, request)
	return answer
}

func TestAVersionedAnswerHasAWeakTagOfItsBody(t *testing.T) {
	t.Parallel()
	for _, method := range []string{http.MethodGet, http.MethodHead} {
		answer := versionedAnswer(method)
		want := http.Header{
			"X-Service-Route-Class": {"light"}, "Cache-Control": {"private, no-cache"}, "Content-Type": {JSONMedia}, "Content-Length": {"7"},
			"Etag": {versionedTag}, "Last-Modified": {"Mon, 16 Nov 2026 12:00:00 GMT"},
		}
		if diff := cmp.Diff(want, answer.Header()); diff != "" || answer.Code != http.StatusOK {
			t.Errorf("%s: got status %d, want 200; headers (-want +got):\n%s", method, answer.Code, diff)
		}
	}
}

func TestAClientThatHasTheBodyGets304(t *testing.T) {
	t.Parallel()
	const other, since = `"sha256-0"`, "If-Modified-Since"
	strong := strings.TrimPrefix(versionedTag, "W/")
	for _, c := range []struct {
		name   string
		header []string
		want   bool
	}{
		{"no condition", nil, false},
		{"the tag", []string{"If-None-Match", versionedTag}, true},
		{"its strong form", []string{"If-None-Match", strong}, true},
		{"another tag", []string{"If-None-Match", other}, false},
		{"the last of several tags", []string{"If-None-Match", other + `, W/"x" ,` + versionedTag}, true},
		{"a tag with a comma before it", []string{"If-None-Match", `"a,b",` + versionedTag}, true},
		{"the tag on the second line", []string{"If-None-Match", other, "If-None-Match", versionedTag}, true},
		{"empty members", []string{"If-None-Match", " , ,\t" + versionedTag + ","}, true},
		{"a star", []string{"If-None-Match", " * "}, true},
		{"a star after another tag", []string{"If-None-Match", other + ", *"}, true},
		{"the tag within a longer one", []string{"If-None-Match", strings.TrimSuffix(versionedTag, `"`) + `-gzip"`}, false},
		{"the tag without quotes", []string{"If-None-Match", strings.Trim(strong, `"`)}, false},
		{"an open quote", []string{"If-None-Match", strings.TrimSuffix(versionedTag, `"`)}, false},
		{"a lower-case w", []string{"If-None-Match", "w/" + strong}, false},
		{"the tag after a malformed one", []string{"If-None-Match", "x, " + versionedTag}, false},
		{"an empty list", []string{"If-None-Match", ""}, false},
		{"the same second", []string{since, "Mon, 16 Nov 2026 12:00:00 GMT"}, true},
		{"a later date", []string{since, "Tue, 17 Nov 2026 12:00:00 GMT"}, true},
		{"an earlier date", []string{since, "Mon, 16 Nov 2026 11:59:59 GMT"}, false},
		{"a date of RFC 850", []string{since, "Monday, 16-Nov-26 12:00:00 GMT"}, true},
		{"a date of asctime", []string{since, "Mon Nov 16 12:00:00 2026"}, true},
		{"an invalid date", []string{since, "2026-11-16T12:00:00Z"}, false},
		{"a date of another zone", []string{since, "Tue, 17 Nov 2026 12:00:00 CET"}, false},
		{"two dates", []string{since, "Tue, 17 Nov 2026 12:00:00 GMT", since, "Tue, 17 Nov 2026 12:00:00 GMT"}, false},
		{"another tag and a later date", []string{"If-None-Match", other, since, "Tue, 17 Nov 2026 12:00:00 GMT"}, false},
		{"a malformed tag and a later date", []string{"If-None-Match", "x", since, "Tue, 17 Nov 2026 12:00:00 GMT"}, false},
		{"the tag and an earlier date", []string{"If-None-Match", versionedTag, since, "Mon, 16 Nov 2020 12:00:00 GMT"}, true},
		{"a condition for writes", []string{"If-Match", other}, false},
		{"a range", []string{"Range", "bytes=0-1"}, false},
	} {
		for _, method := range []string{http.MethodGet, http.MethodHead} {
			answer := versionedAnswer(method, c.header...)
			status, body := http.StatusOK, versionedBody
			if c.want {
				status = http.StatusNotModified
			}
			if c.want || method == http.MethodHead {
				body = ""
			}
			if answer.Code != status || answer.Body.String() != body {
				t.Errorf("%s %s: got %d %q, want %d %q", method, c.name, answer.Code, answer.Body, status, body)
			}
			header := answer.Header()
			if header.Get("ETag") != versionedTag || header.Get("Last-Modified") == "" || header.Get("Cache-Control") != "private, no-cache" {
				t.Errorf("%s %s: got the headers %v, want the tag, the date and Cache-Control", method, c.name, header)
			}
			if c.want && (header.Get("Content-Type") != "" || header.Get("Content-Length") != "") {
				t.Errorf("%s %s: got the headers %v, want none of a body", method, c.name, header)
			}
		}
	}
}

// FuzzTagsAreComparedAsInNetHTTP compares the reading of If-None-Match with that
// of http.ServeContent.
func FuzzTagsAreComparedAsInNetHTTP(f *testing.F) {
	for _, list := range []string{`"a"`, `W/"a", "b"`, "*", ` ,"b",W/"a" `, `"a`, `a"`, `W/`, `"a" "b"`, `"b","a`, "\"\x7f\",\"a\"", "\t*", "*,*"} {
		f.Add(list)
	}
	f.Fuzz(func(t *testing.T, list string) {
		request, answer := httptest.NewRequest(http.MethodGet, "/", nil), httptest.NewRecorder()
		request.Header["If-None-Match"] = []string{list}
		answer.Header().Set("ETag", `W/"a"`)
		http.ServeContent(answer, request, "", newest, bytes.NewReader([]byte("x")))
		if got, want := known(request.Header, `W/"a"`, newest), answer.Code == http.StatusNotModified; got != want && list != "" {
			t.Errorf("%q: got %t, want %t", list, got, want)
		}
	})
}
