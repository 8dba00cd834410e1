package strictjson

import (
	"bytes"

	"github.com/go-json-experiment/json/jsontext"
)

// Element returns an element of the JSON array in data by its index, byte for
// byte, and false if there is none. It reads no further, keeps nothing else, and
// checks only what it reads: it is for text that Decode has accepted.
func Element(data []byte, index int) (Raw, bool) {
	dec := jsontext.NewDecoder(bytes.NewBuffer(data), jsontext.AllowDuplicateNames(true))
	if token, err := dec.ReadToken(); err != nil || token.Kind() != jsontext.KindBeginArray {
		return nil, false
	}
	for range index {
		if dec.PeekKind() == jsontext.KindEndArray || dec.SkipValue() != nil {
			return nil, false
		}
	}
	return next(dec, jsontext.KindEndArray)
}

// next returns the next value, and false if the array or object ends instead.
func next(dec *jsontext.Decoder, end jsontext.Kind) (Raw, bool) {
	if dec.PeekKind() == end {
		return nil, false
	}
	value, err := dec.ReadValue()
	return value.Clone(), err == nil
}
