package rest

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"astrolabe/domain"
	"astrolabe/rest/frame"
	"astrolabe/web"
)

// newPlainService starts a service whose client does not unpack answers by
// itself.
func newPlainService(t *testing.T, mounts ...Mount) *service {
	t.Helper()
	s := newService(t, func(o *Options) { o.Mounts = mounts })
	s.client.Transport.(*http.Transport).DisableCompression = true
	return s
}

// serveBytes answers with n bytes, with their Content-Length where announced.
func serveBytes(n int, announced bool) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/plain")
		if announced {
			w.Header().Set("Content-Length", strconv.Itoa(n))
		}
		_, _ = io.WriteString(w, strings.Repeat("a", n))
	}
}

func TestLargeResponsesAreCompressedOnRequest(t *testing.T) {
	t.Parallel()
	s := newPlainService(t)
	for accepted, want := range map[string]string{
		"gzip": "gzip", "br, gzip;q=0.5": "gzip", "gzip, deflate, br, zstd": "gzip",
		"gzip;q=0": "", "gzip;q=0.000": "", "br": "", "": "",
	} {
		for _, path := range []string{"/openapi.yaml", "/openapi.json", "/docs/errors", "/v1/meta/capabilities"} {
			a := s.ask("GET", path, "Accept-Encoding", accepted)
			if got := a.Header.Get("Content-Encoding"); got != want || a.StatusCode != http.StatusOK {
				t.Errorf("%s with Accept-Encoding %q: got %d and Content-Encoding %q, want 200 and %q", path, accepted, a.StatusCode, got, want)
			}
			if got := a.Header.Values("Vary"); !cmp.Equal(got, []string{"Origin", "Accept-Encoding"}) {
				t.Errorf("%s: got Vary %q, want Origin and Accept-Encoding", path, got)
			}
			if want == "" && a.ContentLength != int64(len(a.body)) {
				t.Errorf("%s: got Content-Length %d, want %d", path, a.ContentLength, len(a.body))
			}
		}
	}
}

func TestSmallResponsesAreNotCompressed(t *testing.T) {
	t.Parallel()
	for _, announced := range []bool{true, false} {
		for size, want := range map[int]string{0: "", 1: "", 1400: "", 1401: "gzip", 20_000: "gzip"} {
			s := newPlainService(t, Mount{Pattern: "/bytes", Handler: serveBytes(size, announced)})
			a := s.ask("GET", "/bytes", "Accept-Encoding", "gzip")
			if got := a.Header.Get("Content-Encoding"); got != want {
				t.Errorf("%d bytes (announced: %t): got Content-Encoding %q, want %q", size, announced, got, want)
			}
			if want == "" && a.ContentLength != int64(size) {
				t.Errorf("%d bytes (announced: %t): got Content-Length %d, want %d", size, announced, a.ContentLength, size)
			}
		}
	}
}

func TestCompressedResponseDecompressesToTheSameBytes(t *testing.T) {
	t.Parallel()
	s := newPlainService(t)
	packed, plain := s.ask("GET", "/openapi.yaml", "Accept-Encoding", "gzip"), s.ask("GET", "/openapi.yaml")
	if diff := cmp.Diff(plain.body, packed.body); diff != "" || packed.Header.Get("Content-Encoding") != "gzip" {
		t.Errorf("got Content-Encoding %q, want gzip; unpacked body (-want +got):\n%s", packed.Header.Get("Content-Encoding"), diff)
	}
}

// TestHeadDoesNotAnnounceALengthThatGetDoesNotSend: GET may be compressed, and
// then its length is another one.
func TestHeadDoesNotAnnounceALengthThatGetDoesNotSend(t *testing.T) {
	t.Parallel()
	s := newPlainService(t)
	for _, path := range []string{"/openapi.yaml", "/.well-known/api-catalog"} {
		for _, accepted := range []string{"gzip", "br", ""} {
			get, head := s.ask("GET", path, "Accept-Encoding", accepted), s.ask("HEAD", path, "Accept-Encoding", accepted)
			if announced := head.Header.Get("Content-Length"); announced != "" && announced != get.Header.Get("Content-Length") {
				t.Errorf("HEAD %s with Accept-Encoding %q: got Content-Length %s, want none or %q as for GET", path, accepted, announced, get.Header.Get("Content-Length"))
			}
			if accepted == "" && head.Header.Get("Content-Length") == "" {
				t.Errorf("HEAD %s: got no Content-Length, want that of the uncompressed GET", path)
			}
		}
	}
}

// TestAssetsOfPagesAreSentAsTheyAreStored shows that the middleware leads a page
// to the negotiated encoding.
func TestAssetsOfPagesAreSentAsTheyAreStored(t *testing.T) {
	t.Parallel()
	s := newPlainService(t, Mount{Pattern: "/docs/*", Handler: web.Reference(func(*http.Request) string { return "" }), Page: true})
	files, err := filepath.Glob("../web/dist/docs/assets/*.js.gz")
	if err != nil || len(files) == 0 {
		t.Fatalf("got the scripts %q and %v, want some", files, err)
	}
	for _, file := range files {
		info, err := os.Stat(file)
		if err != nil {
			t.Fatal(err)
		}
		path := "/docs/assets/" + strings.TrimSuffix(filepath.Base(file), ".gz")
		for accepted, want := range map[string]int64{"gzip": info.Size(), "zstd, br": -1, "": -1} {
			a := s.ask("GET", path, "Accept-Encoding", accepted)
			if got := a.Header.Get("Content-Encoding"); a.StatusCode != http.StatusOK || a.ContentLength != want || (got == "gzip") != (want > 0) {
				t.Errorf("%s with Accept-Encoding %q: got %d, Content-Encoding %q and Content-Length %d, want 200, gzip with %d", path, accepted, a.StatusCode, got, a.ContentLength, want)
			}
		}
	}
	requireFailure(t, s.ask("GET", "/docs/assets/absent.js", "Accept-Encoding", "gzip"), http.StatusNotFound, domain.CodeUnsupportedRoute)
}

// TestOperationsWithSecretsAreNeverCompressed asks an operation with a large
// answer, since the real ones fit into a packet.
func TestOperationsWithSecretsAreNeverCompressed(t *testing.T) {
	t.Parallel()
	marked := map[string]bool{}
	for _, op := range Table() {
		marked[op.ID] = op.Uncompressed
	}
	for id, uncompressed := range marked {
		if want := slices.Contains([]string{"issueApiKey", "getSession", "submitProof", "getProof"}, id); uncompressed != want {
			t.Errorf("%s: got Uncompressed %t, want %t", id, uncompressed, want)
		}
	}
	for uncompressed, want := range map[bool]string{true: "", false: "gzip"} {
		op := frame.Operation{
			Method: http.MethodGet, Path: "/secret", Class: frame.Light, Timeout: time.Second, Cache: "no-store",
			Success: http.StatusOK, Uncompressed: uncompressed,
			Handle: func(context.Context, *frame.Call) (any, error) {
				return frame.Document{Media: "text/plain", Body: make([]byte, 20_000)}, nil
			},
		}
		answer := httptest.NewRecorder()
		request := httptest.NewRequest(http.MethodGet, "/secret", nil)
		request.Header.Set("Accept-Encoding", "gzip")
		compress(new(frame.Dispatcher).Handler(op)).ServeHTTP(answer, request)
		if got := answer.Header().Get("Content-Encoding"); got != want || answer.Code != http.StatusOK {
			t.Errorf("Uncompressed %t: got %d and Content-Encoding %q, want 200 and %q", uncompressed, answer.Code, got, want)
		}
		if got := answer.Header().Get("No-Gzip-Compression"); got != "" {
			t.Errorf("got the header No-Gzip-Compression %q, want none", got)
		}
	}
}

// TestStreamsArriveUncompressedAsTheyAreFlushed reads each line before the
// next is written.
func TestStreamsArriveUncompressedAsTheyAreFlushed(t *testing.T) {
	t.Parallel()
	for _, media := range []string{"text/event-stream; charset=utf-8", "application/x-ndjson"} {
		read := make(chan struct{})
		s := newPlainService(t, Mount{Pattern: "/stream", Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			control := http.NewResponseController(w)
			later := time.Now().Add(time.Minute)
			w.Header().Set("Content-Type", media)
			for range 3 {
				_, failed := io.WriteString(w, strings.Repeat("x", 2000)+"\n")
				if err := errors.Join(failed, control.Flush(), control.SetReadDeadline(later), control.SetWriteDeadline(later)); err != nil {
					t.Errorf("%s: got %v, want no error", media, err)
				}
				select {
				case <-read:
				case <-r.Context().Done():
				}
			}
		})})
		request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.url+"/stream", nil)
		if err != nil {
			t.Fatal(err)
		}
		request.Header.Set("Accept-Encoding", "gzip")
		response, err := s.client.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		defer response.Body.Close()
		if got := response.Header.Get("Content-Encoding"); got != "" {
			t.Errorf("%s: got Content-Encoding %q, want none", media, got)
		}
		lines := bufio.NewScanner(response.Body)
		for range 3 {
			if !lines.Scan() || len(lines.Text()) != 2000 {
				t.Fatalf("%s: got a line of %d bytes, want 2000 (%v)", media, len(lines.Text()), lines.Err())
			}
			read <- struct{}{}
		}
	}
}

func TestPanicInAHandlerStillSendsACompleteResponse(t *testing.T) {
	t.Parallel()
	s := newPlainService(t, Mount{Pattern: "/panic", Handler: http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic("oh") })})
	requireFailure(t, s.ask("GET", "/panic", "Accept-Encoding", "gzip"), http.StatusInternalServerError, domain.CodeInternal)
}
