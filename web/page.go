package web

import (
	"crypto/sha256"
	"fmt"
	"html"
	"io"
	"net/http"
	"path"
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
	licences string
	etag     string // of the licences; weak, because they are served with and without gzip
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
		licences: licences,
		etag:     fmt.Sprintf(`W/"%x"`, sha256.Sum256([]byte(licences))),
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
	w.Header().Set("ETag", p.etag)
	r.Header.Del("Range") // a part of the text is useless
	http.ServeContent(w, r, "", time.Time{}, strings.NewReader(p.licences))
}
