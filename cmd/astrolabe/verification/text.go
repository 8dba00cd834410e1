package verification

import (
	"strings"
	"unicode"
)

// longestText bounds what is printed of a response.
const longestText = 2000

// printable returns text of a response without characters that would control a
// terminal.
func printable(text string) string {
	if len(text) > longestText {
		text = text[:longestText] + "…"
	}
	return strings.Map(func(r rune) rune {
		if unicode.IsGraphic(r) {
			return r
		}
		return ' '
	}, strings.ToValidUTF8(text, " "))
}
