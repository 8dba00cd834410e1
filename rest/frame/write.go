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

// Document is an answer whose bytes exist already.
type Document struct {
	Media string
	Body  []byte
	Link  string // value of the Link header; empty: the header is absent
}

// Encode writes JSON without a trailing newline and without HTML escapes. It
// is given wire types only, which always encode.
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

// maxRecycled is the size of a buffer that is not worth keeping for the small
// bodies that come after it.
const maxRecycled = 1 << 20

// encoder writes JSON into a buffer that grew with the bodies before.
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
		_, _ = w.Write(body) // the client may have gone
	}
}
