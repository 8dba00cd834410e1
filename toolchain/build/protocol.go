package build

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"unicode"

	"astrolabe/domain/verify"
)

// request is the first line that goes into the sandbox. The archive follows it.
type request struct {
	// Digest is that of the folder which is executed: the compiler's machine code
	// or the Scarb release.
	Digest string `json:"digest"`
	// Package is nil if only the toolchain is to be checked.
	Package *verify.Package `json:"package,omitempty"`
}

// answer is what comes out of the sandbox: a class or a failure. It has neither
// if only the toolchain was checked.
type answer struct {
	Class   json.RawMessage `json:"class,omitempty"`
	Failure *failure        `json:"failure,omitempty"`
	// exit is the exit code of the entry point: that of a program which it ran, so that the sandbox sees
	// whether a limit ended it.
	exit int
}

// failure is a verify.Failure.
type failure struct {
	Code    verify.FailureCode `json:"code"`
	Message string             `json:"message"`
}

// readRequest reads the request. The reader then stands at the archive.
func readRequest(in *bufio.Reader) (request, error) {
	var r request
	line, err := in.ReadBytes('\n')
	if err != nil {
		return r, fmt.Errorf("read the request: %w", err)
	}
	return r, json.Unmarshal(line, &r)
}

// inside is what every entry point does: read the request, build, write the
// answer. It returns the exit code.
func inside(build func(r request, archive io.Reader) (*answer, error)) int {
	in := bufio.NewReader(os.Stdin)
	r, err := readRequest(in)
	var a *answer
	if err == nil {
		a, err = build(r, in)
	}
	if err == nil {
		err = json.NewEncoder(os.Stdout).Encode(a)
	}
	if err != nil {
		_, _ = fmt.Fprintln(os.Stderr, err)
		return exitUndecided
	}
	return a.exit
}

// exitUndecided is the exit code of an entry point that could not decide. Its log
// has the reason.
const exitUndecided = 1

// refused are the failures that a build may end with.
var refused = []verify.FailureCode{
	verify.ArchiveRejected, verify.SourceRejected, verify.LockfileMissing, verify.IncompleteOfflineMaterial,
	verify.UnsupportedToolchain, verify.BuildFailed, verify.BuildLimitExceeded,
}

// maxMessage bounds a failure's message in bytes.
const maxMessage = 2000

// parseAnswer checks the form of an answer.
func parseAnswer(data []byte) (*answer, error) {
	var a answer
	if err := json.Unmarshal(data, &a); err != nil {
		return nil, fmt.Errorf("the answer is malformed: %w", err)
	}
	switch {
	case a.Failure != nil && a.Class != nil:
		return nil, fmt.Errorf("the answer has both a class and a failure")
	case a.Failure != nil && !slices.Contains(refused, a.Failure.Code):
		return nil, fmt.Errorf("the answer has the unknown failure %q", a.Failure.Code)
	case len(a.Class) > verify.MaxClass:
		return &answer{Failure: &failure{verify.BuildLimitExceeded, tooLarge}}, nil
	case a.Failure != nil:
		a.Failure.Message = printable(a.Failure.Message)
	}
	return &a, nil
}

// tooLarge is the message for a class over verify.MaxClass.
var tooLarge = fmt.Sprintf("The class has more than %d MiB.", verify.MaxClass>>20)

// printable bounds a text and removes control characters.
func printable(text string) string {
	text = strings.ToValidUTF8(text[:min(len(text), maxMessage)], "")
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && r != '\n' {
			return -1
		}
		return r
	}, text)
}
