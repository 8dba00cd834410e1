package source

import (
	"fmt"
	"strconv"
	"unicode/utf8"
)

// The codes of an Error.
const (
	// Rejected is a tree that breaks a rule.
	Rejected = "source_rejected"
	// LockfileMissing is a tree without Scarb.lock at its root.
	LockfileMissing = "lockfile_missing"
	// IncompleteOfflineMaterial is a tree that needs a package from a network.
	IncompleteOfflineMaterial = "incomplete_offline_material"
	// UnsupportedToolchain is a tree that the pinned toolchain cannot build
	// exactly.
	UnsupportedToolchain = "unsupported_toolchain"
)

// Error says why a tree cannot be verified.
type Error struct {
	// Code is one of the codes of this package.
	Code string
	// Message tells the owner which file breaks which rule, and what to change.
	// Texts of the tree are quoted, so that it is safe to print.
	Message string
}

// Error returns the code and the message.
func (e *Error) Error() string { return e.Code + ": " + e.Message }

func errorf(code, format string, arguments ...any) error {
	return &Error{Code: code, Message: fmt.Sprintf(format, arguments...)}
}

func rejectf(format string, arguments ...any) error { return errorf(Rejected, format, arguments...) }

// quote makes a text of the tree safe to print, and bounds it.
func quote(text string) string {
	const longest = 120
	if len(text) <= longest {
		return strconv.Quote(text)
	}
	end := longest
	for end > 0 && !utf8.RuneStart(text[end]) {
		end--
	}
	return strconv.Quote(text[:end]) + "…"
}
