package wire

import (
	"bytes"
	"encoding/json"

	"astrolabe/starknet"
)

// decode reads the one value in text.
func decode[T any](text []byte, read func(*scanner) T) (T, error) {
	s := scanner{text: text}
	v := read(&s)
	s.end()
	return v, s.err
}

// DecodeString reads a text that is one string.
func DecodeString(text []byte) (string, error) { return decode(text, (*scanner).string) }

// DecodeUint reads a text that is one unsigned number of at most 64 bits.
func DecodeUint(text []byte) (uint64, error) { return decode(text, (*scanner).uint) }

// DecodeFelt reads a text that is one felt.
func DecodeFelt(text []byte) (starknet.Felt, error) { return decode(text, (*scanner).felt) }

// DecodeFelts reads a text that is one array of felts; an empty array is not
// nil.
func DecodeFelts(text []byte) ([]starknet.Felt, error) { return decode(text, (*scanner).felts) }

// string reads any string.
func (s *scanner) string() (v string) {
	s.next()
	start := s.at
	if s.rawString(); s.err != nil {
		return ""
	}
	if err := json.Unmarshal(s.text[start:s.at], &v); err != nil {
		s.fail("%w", err)
	}
	return v
}

// uint reads a number that is written in plain digits and fits 64 bits.
func (s *scanner) uint() (n uint64) {
	digits := s.literal()
	for i, c := range digits {
		d := uint64(c) - '0'
		if d > 9 || i > 0 && n == 0 || n > (1<<64-1-d)/10 {
			s.fail("%q is not an unsigned 64-bit integer", Clip(string(digits), 40))
			return 0
		}
		n = n*10 + d
	}
	return n
}

// felt reads a felt.
func (s *scanner) felt() (f starknet.Felt) {
	if err := f.UnmarshalText(s.rawString()); err != nil {
		s.fail("%w", err)
	}
	return f
}

// felts reads an array of felts; an empty array is not nil.
func (s *scanner) felts() []starknet.Felt {
	out := make([]starknet.Felt, 0, s.feltsAhead())
	s.array(func() { out = append(out, s.felt()) })
	return out
}

// feltsAhead estimates the length of the array of felts that starts here. The
// estimate never exceeds what the text allows.
func (s *scanner) feltsAhead() int {
	rest := s.text[s.at:]
	length := bytes.IndexByte(rest, ']')
	const shortest = len(`"0x0",`)
	if length < shortest { // it is empty, or cut off
		return 0
	}
	return min(bytes.Count(rest[:length], []byte{','})+1, length/shortest+1)
}
