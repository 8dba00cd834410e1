package staticfile

import (
	"bytes"
	"compress/gzip"
	"io"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"sync"
	"time"
)

// File is a file with its compressed form. The form that it was not made from
// is computed when a client first needs it.
type File struct {
	plain, packed func() []byte
}

// FromPlain returns the file with a content.
func FromPlain(content []byte) *File {
	return &File{plain: func() []byte { return content }, packed: sync.OnceValue(func() []byte { return pack(content) })}
}

// FromGzip returns the file whose content was compressed with gzip. The content
// must be the program's own: it is unpacked without a limit.
func FromGzip(packed []byte) *File {
	return &File{plain: sync.OnceValue(func() []byte { return unpack(packed) }), packed: func() []byte { return packed }}
}

// ServeHTTP answers GET and HEAD with the form that the client accepts. The
// caller sets Content-Type and, if clients should revalidate, a weak ETag.
func (f *File) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	header, content := w.Header(), f.plain
	if !slices.Contains(header["Vary"], "Accept-Encoding") { // middleware may have said so
		header.Add("Vary", "Accept-Encoding")
	}
	if acceptsGzip.MatchString(r.Header.Get("Accept-Encoding")) {
		header.Set("Content-Encoding", "gzip")
		content = f.packed
	}
	body := content()
	header.Set("Content-Length", strconv.Itoa(len(body)))
	r.Header.Del("Range") // a part of either form is useless
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(body))
}

// acceptsGzip matches an Accept-Encoding header that names gzip without a
// weight or with a weight above zero.
var acceptsGzip = regexp.MustCompile(`(?i)(?:^|,)\s*gzip\s*(?:;\s*q=(?:1|0?\.0*[1-9])[^,]*)?(?:,|$)`)

func pack(content []byte) []byte {
	var packed bytes.Buffer
	w, _ := gzip.NewWriterLevel(&packed, gzip.BestCompression) // the level is valid
	_, _ = w.Write(content)                                    // a buffer accepts every write
	_ = w.Close()
	return packed.Bytes()
}

func unpack(packed []byte) []byte {
	r, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		panic("staticfile: " + err.Error())
	}
	content, err := io.ReadAll(r)
	if err != nil {
		panic("staticfile: " + err.Error())
	}
	return content
}
