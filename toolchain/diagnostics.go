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
	// Answer is the overall error message of the compiler.
	Answer string
	// Diagnostics are the messages that could be recovered, in source order.
	Diagnostics []Diagnostic
}

// Diagnostic is an error or warning of the compiler.
type Diagnostic struct {
	Line, Column int
	// Message is the text. Its first characters may be missing.
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

// diagnosticArrow separates the message of a diagnostic from its position in
// the source.
const diagnosticArrow = "\n --> lib.cairo:"

var diagnosticPlace = regexp.MustCompile(`^([0-9]{1,6}):([0-9]{1,6})\n`)

// maxMessage limits the memory that is read for a message.
const maxMessage = 400

// findDiagnostics searches the memory of the module for diagnostics. The
// compiler writes them to standard error, which a WebAssembly module does not
// have, and then frees them. Their text is still in memory, but the allocator
// has reused its first bytes. Copies of one diagnostic lost different amounts,
// so the longest is used.
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
