package web_test

import (
	"bytes"
	"compress/gzip"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/klauspost/compress/gzhttp"

	"astrolabe/web"
)

// pages are the handlers by the folder of dist that they serve.
var pages = map[string]struct {
	handler http.Handler
	policy  string
}{
	"graphiql": {web.GraphiQL(addressAsToken), web.GraphiQLPolicy},
	"docs":     {web.Reference(addressAsToken), web.ReferencePolicy},
}

// addressAsToken returns another token for every client; some need escaping.
func addressAsToken(r *http.Request) string { return r.RemoteAddr }

// compress wraps a page as the server does, for responses of every size.
var compress = func() func(http.Handler) http.HandlerFunc {
	wrap, err := gzhttp.NewWrapper(gzhttp.MinSize(0), gzhttp.EnableZstd(false))
	if err != nil {
		panic(err) // the options are constants
	}
	return wrap
}()

// ask sends one request to a page; headers are name, value, name, value.
func ask(name, method, target string, headers ...string) *http.Response {
	r := httptest.NewRequest(method, target, nil)
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	w := httptest.NewRecorder()
	compress(pages[name].handler).ServeHTTP(w, r)
	return w.Result()
}

func body(t *testing.T, r *http.Response) string {
	t.Helper()
	content, err := io.ReadAll(r.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

// assets lists the URLs of all built assets of a page.
func assets(t *testing.T, name string) []string {
	t.Helper()
	stored, err := fs.Glob(os.DirFS("dist"), name+"/assets/*.gz")
	if err != nil || len(stored) == 0 {
		t.Fatalf("assets of %s: got %v and %v, want some", name, stored, err)
	}
	for i := range stored {
		stored[i] = "/" + strings.TrimSuffix(stored[i], ".gz")
	}
	return stored
}

func TestDocumentIsNotCachedAndAssetsAre(t *testing.T) {
	t.Parallel()
	for name := range pages {
		document := ask(name, http.MethodGet, "/"+name)
		if document.StatusCode != http.StatusOK || document.Header.Get("Content-Type") != "text/html; charset=utf-8" {
			t.Errorf("/%s: got status %d and media type %s, want 200 and HTML", name, document.StatusCode, document.Header.Get("Content-Type"))
		}
		if got := document.Header.Get("Cache-Control"); got != "private, no-store" || document.Header.Get("ETag") != "" {
			t.Errorf("/%s: got Cache-Control %q and ETag %q, want private, no-store without an ETag", name, got, document.Header.Get("ETag"))
		}
		licences := ask(name, http.MethodGet, "/"+name+"/licenses.md", "Range", "bytes=0-9")
		again := ask(name, http.MethodGet, "/"+name+"/licenses.md", "If-None-Match", licences.Header.Get("ETag"))
		if licences.StatusCode != http.StatusOK || again.StatusCode != http.StatusNotModified {
			t.Errorf("licences of /%s: got status %d, and %d with their ETag; want 200 and 304", name, licences.StatusCode, again.StatusCode)
		}
		for _, asset := range assets(t, name) {
			if got := ask(name, http.MethodGet, asset).Header.Get("Cache-Control"); got != "public, max-age=31536000, immutable" {
				t.Errorf("%s: got Cache-Control %q, want it immutable", asset, got)
			}
		}
	}
}

func TestEveryClientGetsItsOwnToken(t *testing.T) {
	t.Parallel()
	for name, page := range pages {
		for client, want := range map[string]string{
			"192.0.2.1:5":           "192.0.2.1:5",
			"192.0.2.2:5":           "192.0.2.2:5",
			`"><script>x</script>&`: "&#34;&gt;&lt;script&gt;x&lt;/script&gt;&amp;",
		} {
			r := httptest.NewRequest(http.MethodGet, "/"+name, nil)
			r.RemoteAddr = client
			w := httptest.NewRecorder()
			page.handler.ServeHTTP(w, r)
			if got := w.Body.String(); strings.Count(got, `<meta name="page-token" content="`+want+`" />`) != 1 {
				t.Errorf("/%s for %s: got %s, want the token %s once", name, client, got, want)
			}
		}
	}
}

// TestOtherOriginsCannotReadTheToken wraps the pages in a server that lets every
// origin read its responses.
func TestOtherOriginsCannotReadTheToken(t *testing.T) {
	t.Parallel()
	for name, page := range pages {
		w := httptest.NewRecorder()
		w.Header().Set("Access-Control-Allow-Origin", "*")
		page.handler.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/"+name, nil))
		if got, ok := w.Header()["Access-Control-Allow-Origin"]; ok {
			t.Errorf("/%s: got it readable by %s, want by no other origin", name, got)
		}
		if got := w.Header().Get("Cross-Origin-Resource-Policy"); got != "same-origin" {
			t.Errorf("/%s: got Cross-Origin-Resource-Policy %q, want same-origin", name, got)
		}
	}
}

func TestEveryAssetHasItsContentType(t *testing.T) {
	t.Parallel()
	types := map[string]string{
		".js": "text/javascript; charset=utf-8", ".css": "text/css; charset=utf-8",
		".svg": "image/svg+xml", ".ttf": "font/ttf",
	}
	for name := range pages {
		for _, asset := range assets(t, name) {
			got := ask(name, http.MethodGet, asset).Header.Get("Content-Type")
			if want := types[path.Ext(asset)]; got != want || want == "" {
				t.Errorf("%s: Content-Type %q, want %q", asset, got, want)
			}
		}
	}
}

func TestEveryResponseHasTheSecurityHeaders(t *testing.T) {
	t.Parallel()
	for name, page := range pages {
		for _, target := range []string{"/" + name, "/" + name + "/licenses.md", assets(t, name)[0], "/" + name + "/assets/absent.js"} {
			header := ask(name, http.MethodGet, target).Header
			for field, want := range map[string]string{
				"Content-Security-Policy": page.policy,
				"X-Content-Type-Options":  "nosniff",
				"Referrer-Policy":         "no-referrer",
			} {
				if got := header.Get(field); got != want {
					t.Errorf("%s: %s is %q, want %q", target, field, got, want)
				}
			}
		}
	}
}

func TestUnknownFilesAreNotFound(t *testing.T) {
	t.Parallel()
	for name := range pages {
		for _, file := range []string{"/assets/absent.js", "/assets/", "/assets", "/assets/../index.html", "/index.html", "/elsewhere"} {
			answer := ask(name, http.MethodGet, "/"+name+file)
			if answer.StatusCode != http.StatusNotFound {
				t.Errorf("/%s%s: got status %d, want 404", name, file, answer.StatusCode)
			}
			if got := answer.Header.Get("Cache-Control"); got != "" {
				t.Errorf("/%s%s: got Cache-Control %q for a missing file, want none", name, file, got)
			}
		}
	}
}

func TestOnlyGetAndHeadAreAllowed(t *testing.T) {
	t.Parallel()
	for name := range pages {
		answer := ask(name, http.MethodPost, "/"+name)
		if answer.StatusCode != http.StatusMethodNotAllowed || answer.Header.Get("Allow") != "GET, HEAD" {
			t.Errorf("POST /%s: got status %d and Allow %q, want 405 and GET, HEAD", name, answer.StatusCode, answer.Header.Get("Allow"))
		}
	}
}

// TestHeadEqualsGetWithoutABody leaves out the encoding of assets and their length
// in it: gzhttp negotiates none for HEAD.
func TestHeadEqualsGetWithoutABody(t *testing.T) {
	t.Parallel()
	for name := range pages {
		for _, target := range []string{"/" + name, assets(t, name)[0]} {
			for _, accepted := range []string{"gzip", ""} {
				get, head := ask(name, http.MethodGet, target, "Accept-Encoding", accepted), ask(name, http.MethodHead, target, "Accept-Encoding", accepted)
				if get.Header.Get("Content-Encoding") != "" {
					get.Header.Del("Content-Encoding")
					get.Header.Del("Content-Length")
				}
				if diff := cmp.Diff(get.Header, head.Header); diff != "" || head.StatusCode != get.StatusCode {
					t.Errorf("HEAD %s: got status %d, want %d, headers (-GET +HEAD):\n%s", target, head.StatusCode, get.StatusCode, diff)
				}
				if got := body(t, head); got != "" {
					t.Errorf("HEAD %s: got a body of %d bytes, want none", target, len(got))
				}
			}
		}
	}
}

// TestAssetIsSentAsItIsStored compares responses with the files of the build. A
// client that does not accept gzip gets what they contain.
func TestAssetIsSentAsItIsStored(t *testing.T) {
	t.Parallel()
	for name := range pages {
		for _, asset := range assets(t, name) {
			stored, err := os.ReadFile("dist" + asset + ".gz")
			if err != nil {
				t.Fatal(err)
			}
			packed := ask(name, http.MethodGet, asset, "Accept-Encoding", "br, gzip", "Range", "bytes=0-3")
			if got := body(t, packed); packed.Header.Get("Content-Encoding") != "gzip" || packed.ContentLength != int64(len(stored)) || got != string(stored) {
				t.Errorf("%s: got the encoding %q and %d bytes, want gzip and the %d bytes of the build", asset, packed.Header.Get("Content-Encoding"), len(got), len(stored))
			}
			unpacked, err := gzip.NewReader(bytes.NewReader(stored))
			if err != nil {
				t.Fatal(err)
			}
			want, err := io.ReadAll(unpacked)
			if err != nil {
				t.Fatal(err)
			}
			plain := ask(name, http.MethodGet, asset)
			if got := body(t, plain); plain.Header.Get("Content-Encoding") != "" || got != string(want) || got == "" {
				t.Errorf("%s: got the encoding %q and %d bytes, want none and %d bytes", asset, plain.Header.Get("Content-Encoding"), len(got), len(want))
			}
		}
	}
}

func TestAssetIsDecompressedForClientsThatDoNotAcceptGzip(t *testing.T) {
	t.Parallel()
	asset := assets(t, "docs")[0]
	for accepted, want := range map[string]string{
		"gzip": "gzip", "GZIP": "gzip", "deflate, gzip;q=1.0, *": "gzip", "br;q=1.0, gzip ; q=0.8, *;q=0.1": "gzip", "*;q=0, gzip;q=.05": "gzip",
		"": "", "br": "", "zstd": "", "identity": "", "*;q=0": "", "gzip;q=0": "", "gzip;q=0.000, *": "", "gzipped": "", "x-gzip": "",
	} {
		response := ask("docs", http.MethodGet, asset, "Accept-Encoding", accepted)
		if got := response.Header.Get("Content-Encoding"); got != want || response.Header.Get("Vary") != "Accept-Encoding" {
			t.Errorf("Accept-Encoding %q: got Content-Encoding %q and Vary %q, want %q and Accept-Encoding", accepted, got, response.Header.Get("Vary"), want)
		}
	}
}

func TestPageWithATokenIsNotCompressed(t *testing.T) {
	t.Parallel()
	for name := range pages {
		for target, want := range map[string]string{"/" + name: "", "/" + name + "/licenses.md": "gzip", assets(t, name)[0]: "gzip"} {
			response := ask(name, http.MethodGet, target, "Accept-Encoding", "gzip")
			if got := response.Header.Get("Content-Encoding"); got != want || response.StatusCode != http.StatusOK {
				t.Errorf("%s: got %d and Content-Encoding %q, want 200 and %q", target, response.StatusCode, got, want)
			}
		}
	}
}

func TestDocumentsLoadNothingFromOtherHosts(t *testing.T) {
	t.Parallel()
	reference := regexp.MustCompile(`(?:src|href)="([^"]*)"`)
	for name := range pages {
		found := reference.FindAllStringSubmatch(body(t, ask(name, http.MethodGet, "/"+name)), -1)
		if len(found) == 0 {
			t.Errorf("/%s: got no references, want some", name)
		}
		for _, match := range found {
			if !strings.HasPrefix(match[1], "/"+name+"/assets/") && match[1] != "/openapi.json" {
				t.Errorf("/%s: got a reference to %s, want only to its assets", name, match[1])
			}
		}
	}
}

func TestStyleSheetsLoadNothingFromOtherHosts(t *testing.T) {
	t.Parallel()
	outside := regexp.MustCompile(`(?:url\(|@import)\s*["']?(?:https?:)?//[^)"';]*`)
	for name := range pages {
		for _, asset := range assets(t, name) {
			if path.Ext(asset) != ".css" {
				continue
			}
			for _, match := range outside.FindAllString(body(t, ask(name, http.MethodGet, asset)), -1) {
				t.Errorf("%s: got a reference to %s, want none to other hosts", asset, match)
			}
		}
	}
}
