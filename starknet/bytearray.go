package starknet

import (
	"errors"
	"fmt"
)

// ErrMalformedByteArray reports felts that are not a serialised Cairo ByteArray.
var ErrMalformedByteArray = errors.New("malformed ByteArray")

// byteArrayWord is the number of bytes in a full word of a ByteArray.
const byteArrayWord = 31

// DecodeByteArray reads a Cairo ByteArray from the front of felts: the number
// of full words, the words of 31 bytes, the pending word and its length. It
// returns the bytes and the number of felts read, or ErrMalformedByteArray. It
// allocates no more memory than the given felts justify.
func DecodeByteArray(felts []Felt) (text []byte, used int, err error) {
	if len(felts) < 3 {
		return nil, 0, fmt.Errorf("%w: %d felts", ErrMalformedByteArray, len(felts))
	}
	words, ok := felts[0].Count(len(felts) - 3)
	if !ok {
		return nil, 0, fmt.Errorf("%w: %s words in %d felts", ErrMalformedByteArray, felts[0], len(felts))
	}
	used = words + 3
	pending, length := felts[used-2], felts[used-1]
	n, ok := length.Count(byteArrayWord - 1)
	if !ok || pending.BitLen() > 8*n {
		return nil, 0, fmt.Errorf("%w: pending word %s of %s bytes", ErrMalformedByteArray, pending, length)
	}
	text = make([]byte, 0, words*byteArrayWord+n)
	for _, word := range felts[1 : 1+words] {
		if word[0] != 0 {
			return nil, 0, fmt.Errorf("%w: word %s", ErrMalformedByteArray, word)
		}
		text = append(text, word[1:]...)
	}
	return append(text, pending[32-n:]...), used, nil
}

// AppendByteArray appends text, serialised as a Cairo ByteArray.
func AppendByteArray(felts []Felt, text []byte) []Felt {
	felts = append(felts, FeltFromUint64(uint64(len(text)/byteArrayWord)))
	for ; len(text) >= byteArrayWord; text = text[byteArrayWord:] {
		felts = append(felts, rightAligned(text[:byteArrayWord]))
	}
	return append(felts, rightAligned(text), FeltFromUint64(uint64(len(text))))
}

func rightAligned(b []byte) (f Felt) {
	copy(f[len(f)-len(b):], b)
	return f
}
