package staticfile

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

var text = []byte(strings.Repeat("a line of text\n", 200))

func TestAFileIsServedInTheFormThatTheClientAccepts(t *testing.T) {
	t.Parallel()
	for name, file := range map[string]*File{"plain": FromPlain(text), "gzip": FromGzip(pack(text))} {
		for accept, packed := range map[string]bool{
			"": false, "gzip": true, "br, gzip;q=0.5": true, "gzip;q=0": false, "gzip;q=0.0, br": false, "GZIP": true, "xgzip": false,
		} {
			for _, method := range []string{http.MethodGet, http.MethodHead} {
				w, r := httptest.NewRecorder(), httptest.NewRequest(method, "/", nil)
				r.Header.Set("Accept-Encoding", accept)
				r.Header.Set("Range", "bytes=0-3")
				file.ServeHTTP(w, r)
				want := text
				if packed {
					want = pack(text)
				}
				length := len(want)
				if method == http.MethodHead {
					want = nil
				}
				got := w.Result()
				if got.StatusCode != http.StatusOK || got.Header.Get("Vary") != "Accept-Encoding" || (got.Header.Get("Content-Encoding") == "gzip") != packed || got.ContentLength != int64(length) {
					t.Errorf("%s of the %s file for %q: got %d %v, want 200 with %d bytes", method, name, accept, got.StatusCode, got.Header, length)
				}
				if w.Body.String() != string(want) {
					t.Errorf("%s of the %s file for %q: got another body of %d bytes, want %d bytes", method, name, accept, w.Body.Len(), len(want))
				}
			}
		}
	}
}

func TestAFileWithAnETagIsRevalidated(t *testing.T) {
	t.Parallel()
	w, r := httptest.NewRecorder(), httptest.NewRequest(http.MethodGet, "/", nil)
	w.Header().Set("ETag", `W/"1"`)
	r.Header.Set("If-None-Match", `W/"1"`)
	FromPlain(text).ServeHTTP(w, r)
	if w.Code != http.StatusNotModified || w.Body.Len() != 0 {
		t.Errorf("got %d with %d bytes, want 304 without a body", w.Code, w.Body.Len())
	}
}
