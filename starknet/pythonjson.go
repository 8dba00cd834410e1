package starknet

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

// Class hashes cover JSON text as Python's json.dumps writes it. This file
// implements that format: a space after every comma and colon, and in Cairo 0
// also sorted keys and ASCII only.

// pythonSpacing re-spaces valid JSON token by token and changes nothing else.
func pythonSpacing(text []byte) []byte {
	out := make([]byte, 0, len(text)+len(text)/8)
	inString := false
	for i := 0; i < len(text); i++ {
		c := text[i]
		switch {
		case inString:
			out = append(out, c)
			if c == '\\' && i+1 < len(text) {
				i++
				out = append(out, text[i])
			}
			inString = c != '"'
		case c == ' ' || c == '\t' || c == '\n' || c == '\r':
		case c == ',' || c == ':':
			out = append(out, c, ' ')
		default:
			out = append(out, c)
			inString = c == '"'
		}
	}
	return out
}

// decodePythonJSON reads a document with its numbers kept as text.
func decodePythonJSON(text []byte) (any, error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return nil, err
	}
	if d.More() {
		return nil, fmt.Errorf("data after the document")
	}
	return v, nil
}

// numericKeys is an object whose keys are numbers and are sorted as such.
type numericKeys map[string]any

// appendPython appends v, of the types that decodePythonJSON returns and
// numericKeys, in Python's format with sorted keys.
func appendPython(b []byte, v any) []byte {
	switch v := v.(type) {
	case nil:
		return append(b, "null"...)
	case bool:
		return strconv.AppendBool(b, v)
	case json.Number:
		return append(b, v...)
	case string:
		return appendPythonString(b, v)
	case []any:
		b = append(b, '[')
		for i, item := range v {
			if i > 0 {
				b = append(b, ", "...)
			}
			b = appendPython(b, item)
		}
		return append(b, ']')
	case numericKeys:
		return appendPythonObject(b, v, slices.SortedFunc(maps.Keys(v), func(a, b string) int {
			if len(a) != len(b) {
				return len(a) - len(b)
			}
			return bytes.Compare([]byte(a), []byte(b))
		}))
	case map[string]any:
		return appendPythonObject(b, v, slices.Sorted(maps.Keys(v)))
	}
	panic(fmt.Sprintf("appendPython: %T is not a JSON value", v))
}

func appendPythonObject(b []byte, members map[string]any, keys []string) []byte {
	b = append(b, '{')
	for i, key := range keys {
		if i > 0 {
			b = append(b, ", "...)
		}
		b = appendPythonString(b, key)
		b = append(b, ": "...)
		b = appendPython(b, members[key])
	}
	return append(b, '}')
}

// appendPythonString escapes as json.dumps does with ensure_ascii: short escapes where
// they exist, \uXXXX for every other character that is not printable ASCII.
func appendPythonString(b []byte, s string) []byte {
	b = append(b, '"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b = append(b, '\\', byte(r))
		case r == '\b':
			b = append(b, `\b`...)
		case r == '\f':
			b = append(b, `\f`...)
		case r == '\n':
			b = append(b, `\n`...)
		case r == '\r':
			b = append(b, `\r`...)
		case r == '\t':
			b = append(b, `\t`...)
		case r >= 0x20 && r < utf8.RuneSelf:
			b = append(b, byte(r))
		default:
			for _, unit := range utf16.Encode([]rune{r}) {
				b = append(b, '\\', 'u', hexDigits[unit>>12], hexDigits[unit>>8&0xf], hexDigits[unit>>4&0xf], hexDigits[unit&0xf])
			}
		}
	}
	return append(b, '"')
}
