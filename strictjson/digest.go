package strictjson

import (
	"crypto/sha256"
	"strconv"
)

// Digest returns a one-way identifier of the document in data. Two bodies have
// the same digest exactly if they are equal as JSON: the order of keys, white
// space and the way a string is escaped do not count, the order of array
// elements does. Numbers compare by exact decimal value, never as doubles: 1,
// 1.0, 1e0 and 10e-1 are one number, so are 0 and -0, while 9007199254740992
// and 9007199254740993 are two. It rejects what Decode rejects in any document,
// and exponents beyond four digits. Digests are stored, so the hashed form MUST
// NOT change.
func Digest(data []byte) ([sha256.Size]byte, error) {
	exact, err := rewrite(data, appendExactNumber)
	if err != nil {
		return [sha256.Size]byte{}, err
	}
	return sha256.Sum256(exact), nil
}

// appendExactNumber appends the one spelling that all spellings of a number
// share: its digits without zeros at either end, e, and the power of ten.
func appendExactNumber(dst, number []byte) ([]byte, *Error) {
	exact, err := parseDecimal(number)
	if err != nil {
		return nil, err
	}
	if len(exact.digits) == 0 {
		return append(dst, '0'), nil
	}
	if exact.negative {
		dst = append(dst, '-')
	}
	dst = append(append(dst, exact.digits...), 'e')
	return strconv.AppendInt(dst, int64(exact.exponent), 10), nil
}
