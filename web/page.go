package web

import (
	"compress/gzip"
	"crypto/sha256"
	"fmt"
	"html"
	"io"
	"net/http"
	"path"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/klauspost/compress/gzhttp"
)

// contentTypes maps every file extension of a build to its type. The system's
// table is not used, because it differs between machines.
var contentTypes = map[string]string{
	".css":  "text/css; charset=utf-8",
	".html": "text/html; charset=utf-8",
	".js":   "text/javascript; charset=utf-8",
	".md":   "text/markdown; charset=utf-8",
	".svg":  "image/svg+xml",
	".ttf":  "font/ttf",
}

// page is one folder of dist, served under its name.
type page struct {
	name     string
	policy   string
	token    Token
	html     [2]string // the document, before and after the token
	licences document
}

// document is a file whose name is the same in every build.
type document struct {
	body string
	etag string // weak, because the server may compress the body
}

// slot precedes the token in the built document; a quote follows it.
const slot = `<meta name="page-token" content="`

func newPage(name, policy string, token Token) page {
	before, after, found := strings.Cut(built(name, "index.html"), slot)
	if !found {
		panic("web: the document of " + name + " has no place for the token")
	}
	licences := built(name, "licenses.md")
	return page{
		name: name, policy: policy, token: token,
		html:     [2]string{before + slot, after},
		licences: document{body: licences, etag: fmt.Sprintf(`W/"%x"`, sha256.Sum256([]byte(licences)))},
	}
}

func built(name, file string) string {
	body, err := dist.ReadFile(path.Join("dist", name, file))
	if err != nil {
		panic("web: the build is incomplete: " + err.Error())
	}
	return string(body)
}

// ServeHTTP serves GET and HEAD for the document, its licences and its assets.
func (p page) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	header := w.Header()
	header.Set("Content-Security-Policy", p.policy)
	header.Set("X-Content-Type-Options", "nosniff")
	header.Set("Referrer-Policy", "no-referrer")
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		header.Set("Allow", "GET, HEAD")
		http.Error(w, "method not allowed", http.StatusMethodNotAllowed)
		return
	}

	file := strings.TrimPrefix(strings.TrimPrefix(r.URL.Path, "/"+p.name), "/")
	switch {
	case file == "":
		p.serveDocument(w, r)
	case file == "licenses.md":
		p.serveLicences(w, r)
	case strings.HasPrefix(file, "assets/"):
		p.serveAsset(w, r, file)
	default:
		http.NotFound(w, r)
	}
}

// serveDocument sends the page with its token. No cache may store it, and no
// page of another origin may read it.
func (p page) serveDocument(w http.ResponseWriter, r *http.Request) {
	body := p.html[0] + html.EscapeString(p.token(r)) + p.html[1]
	header := w.Header()
	header.Del("Access-Control-Allow-Origin")
	header.Set("Cross-Origin-Resource-Policy", "same-origin")
	header.Set("Content-Type", contentTypes[".html"])
	header.Set("Cache-Control", "private, no-store")
	header.Set(gzhttp.HeaderNoCompression, "secret") // the length of a compressed body leaks the token (BREACH)
	header.Set("Content-Length", strconv.Itoa(len(body)))
	if r.Method == http.MethodHead {
		return
	}
	_, _ = io.WriteString(w, body) // an error is the client's departure
}

// serveLicences lets browsers cache the licences but revalidate them each time.
func (p page) serveLicences(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", contentTypes[".md"])
	w.Header().Set("Cache-Control", "no-cache")
	w.Header().Set("ETag", p.licences.etag)
	http.ServeContent(w, r, "licenses.md", time.Time{}, strings.NewReader(p.licences.body))
}

// acceptsGzip matches an Accept-Encoding header that names gzip without a
// weight or with a weight above zero.
var acceptsGzip = regexp.MustCompile(`(?i)(?:^|,)\s*gzip\s*(?:;\s*q=(?:1|0?\.0*[1-9])[^,]*)?(?:,|$)`)

// serveAsset sends a file whose name holds the hash of its content, so that
// clients may cache it without expiry. Assets are compressed once, when they
// are built, and unpacked only for clients that do not accept gzip.
func (p page) serveAsset(w http.ResponseWriter, r *http.Request, file string) {
	stored, err := dist.Open(path.Join("dist", p.name, file) + ".gz")
	if err != nil {
		http.NotFound(w, r)
		return
	}
	defer stored.Close() //nolint:errcheck // closing an embedded file cannot fail

	header := w.Header()
	header.Set("Content-Type", contentTypes[path.Ext(file)])
	header.Set("Cache-Control", "public, max-age=31536000, immutable")
	var content io.Reader = stored
	if acceptsGzip.MatchString(r.Header.Get("Accept-Encoding")) {
		header.Set("Content-Encoding", "gzip")
	} else if content, err = gzip.NewReader(stored); err != nil {
		http.Error(w, "asset is damaged", http.StatusInternalServerError)
		return
	}
	if r.Method == http.MethodHead {
		return
	}
	_, _ = io.Copy(w, content) //nolint:gosec // the files are our own; an error is the client's departure
}
