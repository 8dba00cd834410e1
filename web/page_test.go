package web_test

import (
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

// ask sends one request to a page; headers are name, value, name, value.
func ask(name, method, target string, headers ...string) *http.Response {
	r := httptest.NewRequest(method, target, nil)
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	w := httptest.NewRecorder()
	pages[name].handler.ServeHTTP(w, r)
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
		licences := ask(name, http.MethodGet, "/"+name+"/licenses.md")
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

func TestHeadEqualsGetWithoutABody(t *testing.T) {
	t.Parallel()
	for name := range pages {
		for _, target := range []string{"/" + name, assets(t, name)[0]} {
			get, head := ask(name, http.MethodGet, target), ask(name, http.MethodHead, target)
			if diff := cmp.Diff(get.Header, head.Header); diff != "" || head.StatusCode != get.StatusCode {
				t.Errorf("HEAD %s: got status %d, want %d, headers (-GET +HEAD):\n%s", target, head.StatusCode, get.StatusCode, diff)
			}
			if got := body(t, head); got != "" {
				t.Errorf("HEAD %s: got a body of %d bytes, want none", target, len(got))
			}
		}
	}
}

func TestAssetIsTheSameWithAndWithoutCompression(t *testing.T) {
	t.Parallel()
	for name := range pages {
		for _, asset := range assets(t, name) {
			packed := ask(name, http.MethodGet, asset, "Accept-Encoding", "br, gzip")
			plain := ask(name, http.MethodGet, asset)
			if packed.Header.Get("Content-Encoding") != "gzip" || plain.Header.Get("Content-Encoding") != "" {
				t.Fatalf("%s: got the encodings %q and %q, want gzip and none", asset, packed.Header.Get("Content-Encoding"), plain.Header.Get("Content-Encoding"))
			}
			unpacked, err := gzip.NewReader(packed.Body)
			if err != nil {
				t.Fatal(err)
			}
			packed.Body = unpacked
			if content := body(t, packed); content != body(t, plain) || content == "" {
				t.Errorf("%s: got another content with compression, want the same", asset)
			}
		}
	}
}

func TestAssetIsDecompressedForClientsThatDoNotAcceptGzip(t *testing.T) {
	t.Parallel()
	asset := assets(t, "docs")[0]
	for accepted, want := range map[string]string{
		"gzip": "gzip", "GZIP": "gzip", "deflate, gzip;q=1.0, *": "gzip", "br;q=1.0, gzip ; q=0.8, *;q=0.1": "gzip", "*;q=0, gzip;q=.05": "gzip",
		"": "", "br": "", "identity": "", "*;q=0": "", "gzip;q=0": "", "gzip;q=0.000, *": "", "gzip;q=much": "", "gzipped": "", "x-gzip": "",
	} {
		if got := ask("docs", http.MethodGet, asset, "Accept-Encoding", accepted).Header.Get("Content-Encoding"); got != want {
			t.Errorf("Accept-Encoding %q gives Content-Encoding %q, want %q", accepted, got, want)
		}
	}
}

// TestPageWithATokenIsNotCompressed wraps the pages in a server that compresses
// responses of every size.
func TestPageWithATokenIsNotCompressed(t *testing.T) {
	t.Parallel()
	compress, err := gzhttp.NewWrapper(gzhttp.MinSize(0))
	if err != nil {
		t.Fatal(err)
	}
	for name, page := range pages {
		for target, want := range map[string]string{"/" + name: "", "/" + name + "/licenses.md": "gzip", assets(t, name)[0]: "gzip"} {
			r := httptest.NewRequest(http.MethodGet, target, nil)
			r.Header.Set("Accept-Encoding", "gzip")
			w := httptest.NewRecorder()
			compress(page.handler).ServeHTTP(w, r)
			if got := w.Header().Get("Content-Encoding"); got != want || w.Code != http.StatusOK {
				t.Errorf("%s: %d, Content-Encoding %q, want %q", target, w.Code, got, want)
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
