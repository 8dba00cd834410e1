package rest

import (
	"mime"
	"net/http"
	"strconv"

	"github.com/klauspost/compress/gzhttp"
)

// compressFrom is the size in bytes from which answers are compressed. Smaller
// ones fit into one packet either way.
const compressFrom = 1401

// compress sends answers with gzip to clients that accept it. Three kinds are
// never compressed: streams, which their media type tells; WebSockets, which
// leave HTTP; and answers whose handler sets gzhttp.HeaderNoCompression because
// they hold a secret, whose bytes the compressed length could give away (BREACH).
// Operations of the table are marked Uncompressed for that.
// Bodies that have an encoding already are passed on: the assets of pages are
// stored with gzip, which must stay the only encoding that is offered.
func compress(next http.Handler) http.Handler {
	wrap, err := gzhttp.NewWrapper(gzhttp.MinSize(compressFrom), gzhttp.EnableZstd(false), gzhttp.ContentTypeFilter(compressible))
	if err != nil {
		panic(err) // the options are constants
	}
	compressed := wrap(next)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodHead && r.Header.Get("Accept-Encoding") != "" {
			w = headWriter{w}
		}
		compressed.ServeHTTP(w, r)
	})
}

// compressible reports whether bodies of a media type are compressed.
func compressible(contentType string) bool {
	switch media, _, _ := mime.ParseMediaType(contentType); media {
	case "text/event-stream", "application/x-ndjson":
		return false
	default:
		return gzhttp.DefaultContentTypeFilter(contentType)
	}
}

// headWriter removes Content-Length from answers to HEAD that GET might
// compress: HTTP allows the header there only with the length that GET sends.
type headWriter struct{ http.ResponseWriter }

// WriteHeader implements http.ResponseWriter.
func (w headWriter) WriteHeader(status int) {
	header := w.Header()
	length, _ := strconv.Atoi(header.Get("Content-Length")) // absent counts as zero
	if length >= compressFrom && header.Get("Content-Encoding") == "" {
		header.Del("Content-Length")
	}
	w.ResponseWriter.WriteHeader(status)
}

// Unwrap lets http.ResponseController reach the connection.
func (w headWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }
