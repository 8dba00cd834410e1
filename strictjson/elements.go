package strictjson

import (
	"bytes"

	"github.com/go-json-experiment/json/jsontext"
)

// Elements splits the JSON array in data into its elements, byte for byte. It
// checks syntax, depth and encoding; keys are left to the Decode of each
// element, so that one bad element does not spoil the others. It keeps at most so
// many elements, and returns how many there are.
func Elements(data []byte, keep int) (elements []Raw, count int, err error) {
	if _, err := open(data, MaxDepth); err != nil {
		return nil, 0, err
	}
	dec := jsontext.NewDecoder(bytes.NewBuffer(data), jsontext.AllowDuplicateNames(true))
	if token, err := dec.ReadToken(); err != nil {
		return nil, 0, syntaxError(err)
	} else if token.Kind() != jsontext.KindBeginArray {
		return nil, 0, &Error{Kind: TypeMismatch, Message: "expected an array"}
	}
	elements = []Raw{}
	for ; dec.PeekKind() != jsontext.KindEndArray; count++ {
		element, err := dec.ReadValue()
		if err != nil {
			return nil, 0, syntaxError(err)
		}
		if count < keep {
			elements = append(elements, element.Clone())
		}
	}
	if _, err := dec.ReadToken(); err != nil {
		return nil, 0, syntaxError(err)
	}
	return elements, count, expectEnd(dec)
}
