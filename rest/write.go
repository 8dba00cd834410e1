package rest

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"sync"

	"astrolabe/contentcoding"
)

const jsonMedia = "application/json"

// document is an answer whose bytes exist already.
type document struct {
	media string
	body  []byte
	link  string // what the header Link says; empty: there is none
}

// encode writes JSON without a trailing newline and without HTML escapes. It
// is given wire types only, which always encode.
func encode(v any) []byte {
	var buffer bytes.Buffer
	encoder := json.NewEncoder(&buffer)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(v); err != nil {
		panic(fmt.Errorf("a wire type does not encode: %w", err))
	}
	return bytes.TrimSuffix(buffer.Bytes(), []byte{'\n'})
}

// compressAbove is the size from which compression pays.
const compressAbove = 1400

var gzipWriters = sync.Pool{New: func() any { return gzip.NewWriter(nil) }}

// write sends a whole body at once, compressed where that helps and the
// client asks for it.
func write(w http.ResponseWriter, r *http.Request, status int, media string, body []byte) {
	header := w.Header()
	header.Set("Content-Type", media)
	if len(body) > compressAbove && contentcoding.AcceptsGzip(r) {
		header.Set("Content-Encoding", "gzip")
		body = compressed(body)
	}
	header.Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(status)
	if r.Method != http.MethodHead {
		_, _ = w.Write(body) // the client may have gone
	}
}

func compressed(body []byte) []byte {
	var out bytes.Buffer
	zip := gzipWriters.Get().(*gzip.Writer)
	defer gzipWriters.Put(zip)
	zip.Reset(&out)
	_, _ = zip.Write(body) // a buffer does not fail
	_ = zip.Close()
	return out.Bytes()
}
