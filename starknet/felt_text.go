package starknet

import "fmt"

const hexDigits = "0123456789abcdef"

// ParseFelt reads a felt from hexadecimal text. The prefix 0x or 0X is required;
// zero padding and upper-case digits are accepted. Anything else is
// ErrMalformedFelt, and a number at or above P is ErrFeltRange.
func ParseFelt(s string) (Felt, error) { return parseFelt(s) }

func parseFelt[T string | []byte](s T) (Felt, error) {
	b, ok := parseHex(s)
	if !ok {
		return Felt{}, malformedFelt(s)
	}
	if Felt(b).Cmp(prime) >= 0 {
		return Felt{}, ErrFeltRange
	}
	return b, nil
}

// parseHex reads a prefix and at most 64 significant hexadecimal digits.
func parseHex[T string | []byte](s T) (b [32]byte, ok bool) {
	if len(s) < 3 || s[0] != '0' || s[1]|0x20 != 'x' {
		return b, false
	}
	first := 2
	for first < len(s)-1 && s[first] == '0' {
		first++
	}
	if len(s)-first > 64 {
		return b, false
	}
	end, at, bad := len(s), len(b)-1, byte(0)
	for ; end-first >= 2; end, at = end-2, at-1 {
		high, low := digitOf[s[end-2]], digitOf[s[end-1]]
		bad |= high | low
		b[at] = high<<4 | low
	}
	if end > first {
		low := digitOf[s[first]]
		bad |= low
		b[at] = low
	}
	return b, bad&notADigit == 0
}

// notADigit marks the bytes in digitOf that are no hexadecimal digits.
const notADigit = 0x80

// digitOf is the value of every hexadecimal digit: parsing felts is half of
// what decoding a block costs, and a table is twice as fast as comparisons.
var digitOf = func() (table [256]byte) {
	for i := range table {
		table[i] = notADigit
	}
	for i, lower := range []byte(hexDigits) {
		table[lower] = byte(i)
		if lower >= 'a' {
			table[lower-'a'+'A'] = byte(i)
		}
	}
	return table
}()

func malformedFelt[T string | []byte](s T) error {
	const limit = 80
	if len(s) > limit {
		return fmt.Errorf("%w: %q and %d bytes more", ErrMalformedFelt, string(s[:limit]), len(s)-limit)
	}
	return fmt.Errorf("%w: %q", ErrMalformedFelt, string(s))
}

// Append appends the canonical text of f, lower-case hexadecimal with 0x and
// without leading zeros, and returns the extended buffer.
func (f Felt) Append(b []byte) []byte {
	b = append(b, '0', 'x')
	i := 0
	for i < len(f)-1 && f[i] == 0 {
		i++
	}
	if f[i] >= 0x10 {
		b = append(b, hexDigits[f[i]>>4])
	}
	b = append(b, hexDigits[f[i]&0xf])
	for _, c := range f[i+1:] {
		b = append(b, hexDigits[c>>4], hexDigits[c&0xf])
	}
	return b
}

// AppendJSON appends the canonical text as a JSON string.
func (f Felt) AppendJSON(b []byte) []byte {
	b = append(b, '"')
	b = f.Append(b)
	return append(b, '"')
}

// AppendText implements encoding.TextAppender; it never fails.
func (f Felt) AppendText(b []byte) ([]byte, error) { return f.Append(b), nil }

// MarshalText implements encoding.TextMarshaler, so a felt is a JSON string.
func (f Felt) MarshalText() ([]byte, error) { return f.Append(make([]byte, 0, 66)), nil }

// UnmarshalText implements encoding.TextUnmarshaler with the rules of ParseFelt.
func (f *Felt) UnmarshalText(text []byte) error {
	v, err := parseFelt(text)
	if err != nil {
		return err
	}
	*f = v
	return nil
}

// String returns the canonical text: 0x and lower-case digits without leading zeros.
func (f Felt) String() string {
	var buf [66]byte
	return string(f.Append(buf[:0]))
}
