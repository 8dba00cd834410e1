package token

import (
	"bytes"
	"unicode"
	"unicode/utf8"

	"astrolabe/starknet"
)

// MaxText is the longest text that is taken from a contract, in bytes.
const MaxText = 256

// ReadText parses the text that a view returned: a short string in one felt, as
// Cairo 0 contracts have it, or a ByteArray. It is false for anything else and
// for text that cannot be displayed: empty, too long, not UTF-8, or with
// control characters.
func ReadText(result []starknet.Felt) (string, bool) {
	var text []byte
	switch {
	case len(result) == 1 && result[0][0] == 0:
		text = bytes.TrimLeft(result[0][:], "\x00")
	case len(result) >= 3:
		decoded, used, err := starknet.DecodeByteArray(result)
		if err != nil || used != len(result) {
			return "", false
		}
		text = decoded
	}
	if len(text) == 0 || len(text) > MaxText || !utf8.Valid(text) || bytes.ContainsFunc(text, steers) {
		return "", false
	}
	return string(text), true
}

// steers reports control characters, line breaks and bidirectional controls,
// with which a name could imitate another one.
func steers(r rune) bool {
	return unicode.In(r, unicode.Cc, unicode.Zl, unicode.Zp, unicode.Bidi_Control)
}
