package starknet

import (
	"errors"
	"fmt"
)

// ErrNotShortString reports text that does not fit into one felt as a Cairo short string.
var ErrNotShortString = errors.New("not a short string")

const maxShortString = 31

// ShortString encodes up to 31 ASCII characters as Cairo does: the text's bytes,
// right-aligned. It returns ErrNotShortString for longer or non-ASCII text.
func ShortString(text string) (Felt, error) {
	var f Felt
	if len(text) > maxShortString {
		return f, fmt.Errorf("%w: %d bytes", ErrNotShortString, len(text))
	}
	for i := range len(text) {
		if text[i] == 0 || text[i] > 0x7e {
			return Felt{}, fmt.Errorf("%w: byte %#x", ErrNotShortString, text[i])
		}
	}
	copy(f[len(f)-len(text):], text)
	return f, nil
}

// MustShortString encodes a constant and panics when it is not a short string.
func MustShortString(text string) Felt {
	f, err := ShortString(text)
	if err != nil {
		panic(err)
	}
	return f
}

// ShortString decodes f as a Cairo short string. It returns false if a byte is
// not printable ASCII or if f is zero, which contracts use for a missing text.
func (f Felt) ShortString() (text string, ok bool) {
	i := 0
	for i < len(f) && f[i] == 0 {
		i++
	}
	if i == 0 || i == len(f) {
		return "", false
	}
	for _, c := range f[i:] {
		if c < 0x20 || c > 0x7e {
			return "", false
		}
	}
	return string(f[i:]), true
}
