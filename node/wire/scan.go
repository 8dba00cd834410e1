package wire

import (
	"bytes"
	"errors"
	"fmt"
)

// ErrMalformed means that a text is not JSON.
var ErrMalformed = errors.New("malformed JSON")

var errCutOff = errors.New("the JSON text ends too early")

// scanner reads JSON text from front to back. The first error sticks: nothing
// is read after it, so callers check err only at the end.
type scanner struct {
	text []byte
	at   int
	err  error
}

// fail records the first error.
func (s *scanner) fail(format string, args ...any) {
	if s.err == nil {
		s.err = fmt.Errorf(format, args...)
	}
	s.at = len(s.text)
}

// unexpected reports invalid JSON.
func (s *scanner) unexpected() {
	if s.at >= len(s.text) {
		s.fail("%w", errCutOff)
		return
	}
	s.fail("%w at byte %d", ErrMalformed, s.at)
}

// next skips white space and returns the character there, 0 at the end.
func (s *scanner) next() byte {
	for ; s.at < len(s.text); s.at++ {
		switch c := s.text[s.at]; c {
		case ' ', '\t', '\n', '\r':
		default:
			return c
		}
	}
	return 0
}

// take skips white space and the given character, if it is there.
func (s *scanner) take(c byte) bool {
	if s.next() != c {
		return false
	}
	s.at++
	return true
}

// object reads an object and calls member for each of its keys, which must
// read the value. Keys are passed as they are written.
func (s *scanner) object(member func(key []byte)) {
	s.sequence('{', '}', func() {
		key := s.rawString()
		if !s.take(':') {
			s.unexpected()
			return
		}
		member(key)
	})
}

// array reads an array and calls element for each of its elements, which
// must read it.
func (s *scanner) array(element func()) { s.sequence('[', ']', element) }

func (s *scanner) sequence(start, end byte, one func()) {
	if !s.take(start) {
		s.unexpected()
		return
	}
	if s.take(end) {
		return
	}
	for s.err == nil {
		one()
		switch {
		case s.err != nil || s.take(end):
			return
		case !s.take(','):
			s.unexpected()
		}
	}
}

// end fails unless only white space is left.
func (s *scanner) end() {
	if s.err == nil && (s.next() != 0 || s.at < len(s.text)) {
		s.fail("data after the JSON value")
	}
}

// rawString reads a string and returns what is between its quotes.
func (s *scanner) rawString() []byte {
	if !s.take('"') {
		s.unexpected()
		return nil
	}
	start := s.at
	for {
		length := bytes.IndexByte(s.text[s.at:], '"')
		if length < 0 {
			s.at = len(s.text)
			s.unexpected()
			return nil
		}
		quote := s.at + length
		s.at = quote + 1
		backslashes := 0
		for s.text[quote-1-backslashes] == '\\' { // the opening quote stops it
			backslashes++
		}
		if backslashes%2 == 0 {
			return s.text[start:quote]
		}
	}
}

// value skips one value of any kind and returns its text. It matches brackets
// and strings only, which is fast on answers of many megabytes: text that is
// not JSON between them is detected when the value is decoded.
func (s *scanner) value() []byte {
	s.next()
	start, depth := s.at, 0
	for s.at < len(s.text) {
		switch s.text[s.at] {
		case '"':
			s.rawString()
		case '[', '{':
			depth++
			s.at++
		case ']', '}':
			depth--
			s.at++
		default:
			if depth > 0 {
				s.at++
				continue
			}
			s.literal()
		}
		switch {
		case s.err != nil:
			return nil
		case depth == 0:
			return s.text[start:s.at]
		case depth < 0:
			s.fail("%w at byte %d", ErrMalformed, start)
			return nil
		}
	}
	s.unexpected()
	return nil
}

// literal reads a number, true, false or null and returns its text.
func (s *scanner) literal() []byte {
	s.next()
	start := s.at
	for s.at < len(s.text) {
		c := s.text[s.at]
		if c != '-' && c != '+' && c != '.' && (c < '0' || c > '9') && (c|0x20 < 'a' || c|0x20 > 'z') {
			break
		}
		s.at++
	}
	if s.at == start {
		s.unexpected()
	}
	return s.text[start:s.at]
}
