package frame

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"sync"
)

// JSONMedia is the media type of every body that is not a Document.
const JSONMedia = "application/json"

// Document is a response body that is already encoded.
type Document struct {
	Media string
	Body  []byte
	Link  string // value of the Link header; empty: no header
	// Unsized is set for HEAD where GET would send another body.
	Unsized bool
}

// write sends the document.
func (d Document) write(w http.ResponseWriter, r *http.Request, status int) {
	if d.Link != "" {
		w.Header().Set("Link", d.Link)
	}
	if d.Unsized {
		w.Header().Set("Content-Type", d.Media)
		w.WriteHeader(status)
		return
	}
	Write(w, r, status, d.Media, d.Body)
}

// Encode returns JSON without a trailing newline and without HTML escapes. It
// panics on a type that does not encode: callers pass wire types only.
func Encode(v any) []byte {
	into := encoders.Get().(*encoder)
	if err := into.Encode(v); err != nil {
		panic(fmt.Errorf("a wire type does not encode: %w", err))
	}
	body := bytes.Clone(bytes.TrimSuffix(into.Bytes(), []byte{'\n'}))
	if into.Reset(); into.Cap() <= maxRecycled {
		encoders.Put(into)
	}
	return body
}

// maxRecycled is the largest buffer that is returned to the pool.
const maxRecycled = 1 << 20

// encoder is a JSON encoder with a reusable buffer.
type encoder struct {
	bytes.Buffer
	*json.Encoder
}

var encoders = sync.Pool{New: func() any {
	e := &encoder{}
	e.Encoder = json.NewEncoder(&e.Buffer)
	e.SetEscapeHTML(false)
	return e
}}

// Write sends a whole body at once.
func Write(w http.ResponseWriter, r *http.Request, status int, media string, body []byte) {
	w.Header().Set("Content-Type", media)
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(status)
	if r.Method != http.MethodHead {
		_, _ = w.Write(body) // the client may have disconnected
	}
}
