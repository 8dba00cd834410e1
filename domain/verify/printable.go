package verify

import (
	"strings"
	"unicode"
)

const (
	maxLog     = 16 << 10 // bytes of a build's log that are kept
	maxMessage = 4 << 10  // bytes of a failure's message
)

// printable returns a text from a compiler in valid UTF-8 and without control
// characters, which Postgres and terminals do not accept.
func printable(text string) string {
	return strings.Map(func(r rune) rune {
		if r == '\n' || r == '\t' || !unicode.IsControl(r) && r != unicode.ReplacementChar {
			return r
		}
		return -1
	}, text)
}
