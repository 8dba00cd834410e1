package rest

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"sync"
)

const jsonMedia = "application/json"

// document is an answer whose bytes exist already.
type document struct {
	media string
	body  []byte
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
	if len(body) > compressAbove && acceptsGzip(r) {
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

// acceptsGzip reads Accept-Encoding as far as it matters here: gzip or *,
// unless its weight is zero.
func acceptsGzip(r *http.Request) bool {
	for _, line := range r.Header.Values("Accept-Encoding") {
		for part := range strings.SplitSeq(line, ",") {
			coding, weight, _ := strings.Cut(strings.ReplaceAll(part, " ", ""), ";")
			if strings.EqualFold(coding, "gzip") || coding == "*" {
				return !strings.HasPrefix(weight, "q=0") || strings.Trim(weight[3:], "0.") != ""
			}
		}
	}
	return false
}
