package web

import (
	"astrolabe/staticfile"
	"crypto/sha256"
	"fmt"
	"html"
	"io"
	"net/http"
	"path"
	"strconv"
	"strings"

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
	licences *staticfile.File
	etag     string // of the licences; weak, because they are served in two forms
	assets   map[string]*staticfile.File
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
		licences: staticfile.FromPlain([]byte(licences)),
		etag:     fmt.Sprintf(`W/"%x"`, sha256.Sum256([]byte(licences))),
		assets:   builtAssets(name),
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
	p.licences.ServeHTTP(w, r)
}

// serveAsset sends a file whose name holds the hash of its content, so that
// clients may cache it without expiry.
func (p page) serveAsset(w http.ResponseWriter, r *http.Request, file string) {
	asset, found := p.assets[file]
	if !found {
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Content-Type", contentTypes[path.Ext(file)])
	w.Header().Set("Cache-Control", "public, max-age=31536000, immutable")
	asset.ServeHTTP(w, r)
}

// builtAssets returns the assets of a page by their paths. They are compressed when
// they are built.
func builtAssets(name string) map[string]*staticfile.File {
	folder := path.Join("dist", name, "assets")
	entries, err := dist.ReadDir(folder)
	if err != nil {
		panic("web: the build is incomplete: " + err.Error())
	}
	assets := make(map[string]*staticfile.File, len(entries))
	for _, entry := range entries {
		packed, err := dist.ReadFile(path.Join(folder, entry.Name()))
		if err != nil {
			panic("web: the build is incomplete: " + err.Error())
		}
		assets["assets/"+strings.TrimSuffix(entry.Name(), ".gz")] = staticfile.FromGzip(packed)
	}
	return assets
}
