package flatten

import (
	"strings"
	"unicode/utf8"
)

// tokenKind is what a token is, as far as modules need to know.
type tokenKind uint8

const (
	word        tokenKind = iota // an identifier or a keyword
	number                       // with its suffix
	text                         // a string or short string
	punctuation                  // one character, or ::
	bad                          // a character that no token begins with
)

// token is a token of a Cairo file. White space and comments are none.
type token struct {
	kind tokenKind
	// start and end are its place in the file, in bytes.
	start, end int
	// open is whether a string lacks its closing quote.
	open bool
}

// scan splits a Cairo file into tokens exactly as the compiler's lexer does. The
// tokens of two and three characters that modules do not need are single
// characters here, except ::.
func scan(file string) []token {
	s := scanner{file: file}
	var tokens []token
	for s.skipTrivia(); s.at < len(file); s.skipTrivia() {
		tokens = append(tokens, s.next())
	}
	return tokens
}

// scanner stands at a byte of a file.
type scanner struct {
	file string
	at   int
}

// skipTrivia passes white space and comments. Cairo has comments to the end of
// the line only.
func (s *scanner) skipTrivia() {
	for s.at < len(s.file) {
		switch {
		case strings.IndexByte(" \r\t\n", s.file[s.at]) >= 0:
			s.at++
		case strings.HasPrefix(s.file[s.at:], "//"):
			s.take(func(c byte) bool { return c != '\n' })
		default:
			return
		}
	}
}

// next reads the token at the current place.
func (s *scanner) next() token {
	t := token{kind: punctuation, start: s.at}
	switch c := s.file[s.at]; {
	case letter(c):
		t.kind = word
		s.take(wordByte)
	case digit(c):
		t.kind = number
		s.number()
		s.suffix()
	case c == '"':
		t.kind, t.open = text, !s.quoted(c)
	case c == '\'':
		t.kind, t.open = text, !s.quoted(c)
		s.suffix()
	case strings.HasPrefix(s.file[s.at:], "::"):
		s.at += 2
	case strings.IndexByte(",;?{}[]().*/%+#-<>:!~=&|^@", c) >= 0:
		s.at++
	default:
		t.kind = bad
		_, size := utf8.DecodeRuneInString(s.file[s.at:])
		s.at += size
	}
	t.end = s.at
	return t
}

// number passes a decimal, hexadecimal, octal or binary number.
func (s *scanner) number() {
	if s.file[s.at] == '0' && s.at+1 < len(s.file) {
		digits := map[byte]string{'x': "0123456789abcdefABCDEF", 'o': "01234567", 'b': "01"}[s.file[s.at+1]]
		if digits != "" {
			s.at += 2
			s.take(func(c byte) bool { return strings.IndexByte(digits, c) >= 0 })
			return
		}
	}
	s.take(digit)
}

// suffix passes the type that may follow a number or a short string.
func (s *scanner) suffix() {
	if s.at < len(s.file) && s.file[s.at] == '_' {
		s.take(wordByte)
	}
}

// quoted passes a string and reports whether it is closed. A backslash escapes
// the next character; strings may have several lines.
func (s *scanner) quoted(quote byte) bool {
	for s.at++; s.at < len(s.file); s.at++ {
		switch s.file[s.at] {
		case '\\':
			s.at++
		case quote:
			s.at++
			return true
		}
	}
	s.at = len(s.file)
	return false
}

func (s *scanner) take(accepted func(byte) bool) {
	for s.at < len(s.file) && accepted(s.file[s.at]) {
		s.at++
	}
}

func digit(c byte) bool    { return '0' <= c && c <= '9' }
func letter(c byte) bool   { return c == '_' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' }
func wordByte(c byte) bool { return letter(c) || digit(c) }
