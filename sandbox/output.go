package sandbox

import (
	"strings"
	"unicode"
)

// tailSize is how much of stderr is kept.
const tailSize = 16 << 10

// output counts what a program writes and passes on what is within the limit. It never fails, so that
// the program is not blocked before it is killed.
type output struct {
	limit    int64
	written  int64
	exceeded func()
	keep     func([]byte)
}

// Write implements io.Writer.
func (o *output) Write(data []byte) (int, error) {
	before := o.written
	o.written += int64(len(data))
	if before <= o.limit {
		o.keep(data[:min(int64(len(data)), o.limit-before)])
	}
	if before <= o.limit && o.written > o.limit {
		o.exceeded()
	}
	return len(data), nil
}

// tail keeps the end of what is written.
type tail struct{ data []byte }

// write appends and forgets the oldest bytes, in large steps so that each byte is moved rarely.
func (t *tail) write(data []byte) {
	t.data = append(t.data, data...)
	if len(t.data) > 4*tailSize {
		t.data = append(t.data[:0], t.data[len(t.data)-tailSize:]...)
	}
}

// text returns the tail as valid UTF-8 without control characters except newlines and tabs.
func (t *tail) text() string {
	data := t.data[max(0, len(t.data)-tailSize):]
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && r != '\n' && r != '\t' {
			return -1
		}
		return r
	}, strings.ToValidUTF8(string(data), ""))
}
