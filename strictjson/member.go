package strictjson

import (
	"bytes"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// Member returns a member of the JSON object in data, byte for byte, although
// Decode refuses the object for a duplicate key elsewhere. It reports false if the
// object does not have the member exactly once, if another name differs from it in
// case only, and for anything but an object.
func Member(data []byte, name string) (member Raw, found bool) {
	if _, err := open(data, MaxDepth); err != nil {
		return nil, false
	}
	dec := jsontext.NewDecoder(bytes.NewBuffer(data), jsontext.AllowDuplicateNames(true))
	if token, err := dec.ReadToken(); err != nil || token.Kind() != jsontext.KindBeginObject {
		return nil, false
	}
	for dec.PeekKind() != jsontext.KindEndObject {
		token, err := dec.ReadToken()
		if err != nil {
			return nil, false
		}
		if key := token.String(); !strings.EqualFold(key, name) {
			if dec.SkipValue() != nil {
				return nil, false
			}
			continue
		} else if key != name || found {
			return nil, false
		}
		value, err := dec.ReadValue()
		if err != nil {
			return nil, false
		}
		member, found = value.Clone(), true
	}
	if _, err := dec.ReadToken(); err != nil || expectEnd(dec) != nil {
		return nil, false
	}
	return member, found
}
