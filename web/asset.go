package web

import (
	"compress/gzip"
	"io"
	"net/http"
	"path"
	"strconv"

	"github.com/klauspost/compress/gzhttp"
)

// serveAsset sends a file whose name holds the hash of its content, so that
// clients may cache it without expiry.
//
// Assets are compressed when they are built and sent in that form: to compress
// them for each response would take almost 100 ms of processor time for each first
// view of GraphiQL. Few clients do not accept gzip; for them they are unpacked.
func (p page) serveAsset(w http.ResponseWriter, r *http.Request, file string) {
	stored, err := dist.Open("dist/" + p.name + "/" + file + ".gz")
	if err != nil {
		http.NotFound(w, r)
		return
	}
	defer func() { _ = stored.Close() }()
	header, content := w.Header(), io.Reader(stored)
	header.Set("Content-Type", contentTypes[path.Ext(file)])
	header.Set("Cache-Control", "public, max-age=31536000, immutable")
	if acceptsGzip(w) {
		header.Set("Content-Encoding", "gzip")
		if info, err := stored.Stat(); err == nil {
			header.Set("Content-Length", strconv.FormatInt(info.Size(), 10))
		}
	} else if content, err = gzip.NewReader(stored); err != nil {
		panic("web: the build is damaged: " + err.Error())
	}
	if r.Method == http.MethodHead {
		return
	}
	_, _ = io.Copy(w, content) //nolint:gosec // The content is the program's own; an error is the client's departure.
}

// acceptsGzip reports whether gzhttp, which compresses the server's responses,
// has found that the client accepts gzip: it then gives handlers a writer of its
// own, and passes on a body that has an encoding already. The server must not
// offer another encoding than gzip.
func acceptsGzip(w http.ResponseWriter) bool {
	for {
		switch writer := w.(type) {
		case *gzhttp.GzipResponseWriter, gzhttp.GzipResponseWriterWithCloseNotify:
			return true
		case interface{ Unwrap() http.ResponseWriter }:
			w = writer.Unwrap()
		default:
			return false
		}
	}
}
