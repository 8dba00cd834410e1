package toolchain

import (
	"bytes"
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// CompileError reports a source that the compiler rejected.
type CompileError struct {
	// Answer is what the compiler said about the source as a whole.
	Answer string
	// Diagnostics are its complaints as far as they could be recovered, in the source's order.
	Diagnostics []Diagnostic
}

// Diagnostic is a complaint of the compiler, an error or a warning.
type Diagnostic struct {
	Line, Column int
	// Message says what is wrong. Its first characters may be missing.
	Message string
}

// Error lists the diagnostics.
func (e *CompileError) Error() string {
	var text strings.Builder
	text.WriteString("Cairo compiler: " + e.Answer)
	for _, d := range e.Diagnostics {
		fmt.Fprintf(&text, "\n%d:%d: %s", d.Line, d.Column, d.Message)
	}
	return text.String()
}

// diagnosticArrow stands between a diagnostic's message and its place in the source.
const diagnosticArrow = "\n --> lib.cairo:"

var diagnosticPlace = regexp.MustCompile(`^([0-9]{1,6}):([0-9]{1,6})\n`)

// maxMessage bounds the part of memory that is taken for a message.
const maxMessage = 400

// findDiagnostics looks for diagnostics in the module's memory. The compiler writes them to a
// standard error stream that a WebAssembly module does not have, and then forgets them: their
// text is still there, but its first bytes were reused by the allocator. Copies of one
// diagnostic differ by how much was lost, so the longest is taken.
func findDiagnostics(memory []byte) []Diagnostic {
	type place struct{ line, column int }
	longest := map[place]string{}
	for rest := memory; ; {
		at := bytes.Index(rest, []byte(diagnosticArrow))
		if at < 0 {
			break
		}
		message := trailingText(rest[max(0, at-maxMessage):at])
		rest = rest[at+len(diagnosticArrow):]
		match := diagnosticPlace.FindSubmatch(rest[:min(16, len(rest))])
		if match == nil || message == "" {
			continue
		}
		line, _ := strconv.Atoi(string(match[1]))
		column, _ := strconv.Atoi(string(match[2]))
		if where := (place{line, column}); len(message) > len(longest[where]) {
			longest[where] = message
		}
	}
	found := make([]Diagnostic, 0, len(longest))
	for where, message := range longest {
		found = append(found, Diagnostic{Line: where.line, Column: where.column, Message: message})
	}
	slices.SortFunc(found, func(a, b Diagnostic) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
	})
	return found
}

// trailingText returns the printable ASCII line at the end of some memory.
func trailingText(memory []byte) string {
	start := len(memory)
	for start > 0 && memory[start-1] >= ' ' && memory[start-1] <= '~' {
		start--
	}
	return strings.TrimSpace(string(memory[start:]))
}
