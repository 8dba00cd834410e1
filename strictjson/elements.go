package strictjson

import (
	"bytes"

	"github.com/go-json-experiment/json/jsontext"
)

// Elements splits the JSON array in data into its elements, byte for byte. It
// checks syntax, depth and encoding; keys are left to the Decode of each
// element, so that one bad element does not spoil the others.
func Elements(data []byte) ([]Raw, error) {
	if _, err := open(data, MaxDepth); err != nil {
		return nil, err
	}
	dec := jsontext.NewDecoder(bytes.NewReader(data), jsontext.AllowDuplicateNames(true))
	if token, err := dec.ReadToken(); err != nil {
		return nil, syntaxError(err)
	} else if token.Kind() != jsontext.KindBeginArray {
		return nil, &Error{Kind: TypeMismatch, Message: "expected an array"}
	}
	elements := []Raw{}
	for dec.PeekKind() != jsontext.KindEndArray {
		element, err := dec.ReadValue()
		if err != nil {
			return nil, syntaxError(err)
		}
		elements = append(elements, element.Clone())
	}
	if _, err := dec.ReadToken(); err != nil {
		return nil, syntaxError(err)
	}
	return elements, expectEnd(dec)
}
