package strictjson

import (
	"bytes"

	"github.com/go-json-experiment/json/jsontext"
)

// Member returns a member of the JSON object in data, byte for byte, although
// Decode refuses the object for a duplicate key elsewhere. It reports false if the
// object does not have the member exactly once, and for anything but an object.
func Member(data []byte, name string) (member Raw, found bool) {
	if _, err := open(data, MaxDepth); err != nil {
		return nil, false
	}
	dec := jsontext.NewDecoder(bytes.NewReader(data), jsontext.AllowDuplicateNames(true))
	if token, err := dec.ReadToken(); err != nil || token.Kind() != jsontext.KindBeginObject {
		return nil, false
	}
	for dec.PeekKind() != jsontext.KindEndObject {
		token, err := dec.ReadToken()
		if err != nil {
			return nil, false
		}
		wanted := token.String() == name
		if wanted && found {
			return nil, false
		}
		value, err := dec.ReadValue()
		if err != nil {
			return nil, false
		}
		if wanted {
			member, found = value.Clone(), true
		}
	}
	if _, err := dec.ReadToken(); err != nil || expectEnd(dec) != nil {
		return nil, false
	}
	return member, found
}
