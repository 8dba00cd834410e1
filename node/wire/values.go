package wire

import (
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"astrolabe/starknet"
)

// decode reads the one value in text.
func decode[T any](text []byte, read func(*reader) T) (T, error) {
	r := newReader(text)
	v := read(r)
	r.end()
	return v, r.err
}

// DecodeString reads a text that is one string.
func DecodeString(text []byte) (string, error) { return decode(text, (*reader).string) }

// DecodeFelt reads a text that is one felt.
func DecodeFelt(text []byte) (starknet.Felt, error) { return decode(text, (*reader).felt) }

// DecodeFelts reads a text that is one array of felts; an empty array is not
// nil.
func DecodeFelts(text []byte) ([]starknet.Felt, error) { return decode(text, (*reader).feltArray) }

// string reads any string.
func (r *reader) string() string {
	if got := r.next(); got != jsontext.KindString && got != jsontext.KindInvalid {
		r.fail("%s instead of a string", got)
	}
	token := r.token()
	if r.err != nil {
		return ""
	}
	return token.String()
}

// uint reads a number that is written in plain digits and fits 64 bits.
func (r *reader) uint() uint64 {
	digits := r.read()
	if r.err != nil {
		return 0
	}
	n, err := strconv.ParseUint(string(digits), 10, 64)
	if err != nil {
		r.fail("%q is not an unsigned 64-bit integer", Clip(string(digits), 40))
	}
	return n
}

// felt reads a felt.
func (r *reader) felt() (f starknet.Felt) {
	text := r.rawString()
	if r.err != nil {
		return f
	}
	if err := f.UnmarshalText(text); err != nil {
		r.fail("%w", err)
	}
	return f
}

// feltArray reads an array of felts; an empty array is not nil.
func (r *reader) feltArray() []starknet.Felt {
	r.felts = r.felts[:0]
	r.array(func() { r.felts = append(r.felts, r.felt()) })
	return append(make([]starknet.Felt, 0, len(r.felts)), r.felts...)
}
