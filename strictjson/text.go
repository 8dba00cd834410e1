package strictjson

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// MaxDepth is how many arrays and objects may be nested in each other. Real
// documents of this service stay below a dozen.
const MaxDepth = 64

// open checks the encoding and depth of the text and returns a decoder at its
// start, which rejects duplicate keys and invalid escapes.
func open(data []byte, depth int) (*jsontext.Decoder, error) {
	switch {
	case bytes.HasPrefix(data, []byte("\xef\xbb\xbf")):
		return nil, &Error{Kind: Syntax, Message: "a byte order mark is not allowed"}
	case !utf8.Valid(data):
		return nil, &Error{Kind: InvalidUTF8, Message: "the text is not valid UTF-8"}
	case exceedsDepth(data, depth):
		return nil, &Error{Kind: TooDeep, Message: fmt.Sprintf("nested more than %d levels deep", depth)}
	}
	return jsontext.NewDecoder(bytes.NewBuffer(data)), nil
}

// expectEnd checks that only white space follows the value just read.
func expectEnd(dec *jsontext.Decoder) error {
	if _, err := dec.ReadToken(); !errors.Is(err, io.EOF) {
		return &Error{Kind: TrailingData, Message: "data after the JSON value"}
	}
	return nil
}

// exceedsDepth counts brackets outside strings, so that no parser ever sees a
// document that is too deep. The count may be wrong for text that is not JSON,
// which the parser rejects anyway.
func exceedsDepth(data []byte, limit int) bool {
	depth := 0
	for i := 0; i < len(data); i++ {
		switch data[i] {
		case '[', '{':
			depth++
			if depth > limit {
				return true
			}
		case ']', '}':
			depth--
		case '"':
			for i++; i < len(data) && data[i] != '"'; i++ {
				if data[i] == '\\' {
					i++
				}
			}
		}
	}
	return false
}
