package strictjson

import (
	"github.com/go-json-experiment/json/jsontext"
)

// rewrite returns the one JSON value in data without white space, with sorted
// keys and the shortest escapes, and with every number as appendNumber writes
// it. Errors of appendNumber are returned with their path.
func rewrite(data []byte, appendNumber func(dst, number []byte) ([]byte, *Error)) ([]byte, error) {
	dec, err := open(data, MaxDepth)
	if err != nil {
		return nil, err
	}
	out, copied := make(jsontext.Value, 0, len(data)+len(data)/8), 0
	for depth := 1; depth > 0; depth = dec.StackDepth() {
		if dec.PeekKind() != jsontext.KindNumber {
			if _, err := dec.ReadToken(); err != nil {
				return nil, syntaxError(err)
			}
			continue
		}
		number, err := dec.ReadValue()
		if err != nil {
			return nil, syntaxError(err)
		}
		end := int(dec.InputOffset())
		out = append(out, data[copied:end-len(number)]...)
		var refused *Error
		if out, refused = appendNumber(out, number); refused != nil {
			return nil, errorAt(refused.Kind, dec.StackPointer(), refused.Message)
		}
		copied = end
	}
	if err := expectEnd(dec); err != nil {
		return nil, err
	}
	out = append(out, data[copied:]...)
	if err := out.Format(jsontext.ReorderRawObjects(true)); err != nil {
		return nil, syntaxError(err)
	}
	return out, nil
}
