package wire

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/go-json-experiment/json/jsontext"

	"astrolabe/starknet"
)

// reader reads JSON text from front to back. The first failure sticks: after
// it nothing more is read, so that only the end needs to look at err.
type reader struct {
	text  []byte
	dec   *jsontext.Decoder
	err   error
	felts []starknet.Felt // of the array that is being read
}

// newReader makes a reader of text. Shapes compare the names of the members that
// they read, which takes less time than comparing all names. Bytes that are not
// UTF-8 are read as U+FFFD, as the standard library does: a node that quotes them
// must not stop the index.
func newReader(text []byte) *reader {
	dec := jsontext.NewDecoder(bytes.NewBuffer(text), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	return &reader{text: text, dec: dec}
}

// fail keeps the first failure.
func (r *reader) fail(format string, args ...any) {
	if r.err == nil {
		r.err = fmt.Errorf(format, args...)
	}
}

// check keeps a failure of the library. Its texts may quote whatever a node
// sends, so they are replaced.
func (r *reader) check(err error) {
	if err == nil {
		return
	}
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		r.fail("the JSON text ends too early")
		return
	}
	r.fail("malformed JSON after byte %d", r.dec.InputOffset())
}

// next returns the kind of the next value, KindInvalid after a failure.
func (r *reader) next() jsontext.Kind {
	if r.err != nil {
		return jsontext.KindInvalid
	}
	return r.dec.PeekKind()
}

// value reads a value of any kind and returns its text.
func (r *reader) value() []byte {
	value := r.read()
	end := int(r.dec.InputOffset())
	return r.text[end-len(value) : end]
}

// read reads a value of any kind, which the next read overwrites.
func (r *reader) read() jsontext.Value {
	if r.err != nil {
		return nil
	}
	value, err := r.dec.ReadValue()
	r.check(err)
	return value
}

// rawString reads a string and returns what is between its quotes, which the next
// read overwrites. It does not read escapes: the specification's own words need
// none.
func (r *reader) rawString() []byte {
	quoted := r.read()
	switch kind := quoted.Kind(); {
	case r.err != nil:
		return nil
	case kind != jsontext.KindString:
		r.fail("%s instead of a string", kind)
		return nil
	}
	return quoted[1 : len(quoted)-1]
}

// object reads an object and calls member for each of its names, as they are
// written. Member must read the value.
func (r *reader) object(member func(name []byte)) {
	r.sequence(jsontext.KindBeginObject, jsontext.KindEndObject, "an object", func() { member(r.rawString()) })
}

// array reads an array and calls element for each of its elements, which it
// must read.
func (r *reader) array(element func()) {
	r.sequence(jsontext.KindBeginArray, jsontext.KindEndArray, "an array", element)
}

func (r *reader) sequence(begin, end jsontext.Kind, name string, one func()) {
	if got := r.next(); got != begin && got != jsontext.KindInvalid {
		r.fail("%s instead of %s", got, name)
	}
	for r.token(); r.err == nil && r.dec.PeekKind() != end; {
		one()
	}
	r.token()
}

// token reads a token.
func (r *reader) token() (token jsontext.Token) {
	if r.err == nil {
		var err error
		token, err = r.dec.ReadToken()
		r.check(err)
	}
	return token
}

// end fails unless only white space is left.
func (r *reader) end() {
	if r.err != nil {
		return
	}
	if _, err := r.dec.ReadToken(); !errors.Is(err, io.EOF) {
		r.fail("data after the JSON value")
	}
}
