package starknet

import (
	"encoding/hex"
	"errors"
	"fmt"
)

// Hash256 is a full Keccak digest, such as a message hash between the layers. It may
// exceed the field, so it is not a Felt.
type Hash256 [32]byte

// ErrMalformedHash reports text that is not a 256-bit hash.
var ErrMalformedHash = errors.New("malformed hash")

// ParseHash256 reads 0x and at most 64 significant hexadecimal digits.
func ParseHash256(s string) (Hash256, error) {
	h, ok := parseHex(s)
	if !ok {
		return Hash256{}, fmt.Errorf("%w: %.80q", ErrMalformedHash, s)
	}
	return h, nil
}

// String returns 0x and all 64 digits, as Ethereum prints a hash.
func (h Hash256) String() string { return "0x" + hex.EncodeToString(h[:]) }

// MarshalText implements encoding.TextMarshaler.
func (h Hash256) MarshalText() ([]byte, error) { return []byte(h.String()), nil }

// UnmarshalText implements encoding.TextUnmarshaler with the rules of ParseHash256.
func (h *Hash256) UnmarshalText(text []byte) (err error) {
	*h, err = ParseHash256(string(text))
	return err
}
