package archive

import "fmt"

// Rejected is the code of every Error.
const Rejected = "archive_rejected"

// Error says which rule an archive breaks. Errors of the reader that supplies
// the archive, and of the callback, are returned as they are and are not of this
// type.
type Error struct {
	// Code is Rejected.
	Code string
	// Message tells the owner of the archive which path breaks which rule, and
	// what to change. Paths are quoted, so that it is safe to print.
	Message string
}

// Error returns the code and the message.
func (e *Error) Error() string { return e.Code + ": " + e.Message }

// rejectf returns an Error.
func rejectf(format string, arguments ...any) error {
	return &Error{Code: Rejected, Message: fmt.Sprintf(format, arguments...)}
}

// The limits that Read and Pack check in different places.

func errCompressed() error {
	return rejectf("The archive is larger than 10 MiB. Remove files that the build does not need.")
}

func errExpanded() error {
	return rejectf("The archive expands to more than 64 MiB. Remove files that the build does not need.")
}

func errEntries() error {
	return rejectf("The archive has more than 5,000 entries. Remove files that the build does not need.")
}

func errFile(h header) error {
	return rejectf("The file %q has %d bytes or more; at most 8 MiB are allowed.", h.path, h.size)
}

func errNested(path, format string) error {
	return rejectf("The content of %q is an archive (%s); archives inside the archive are not allowed. Remove it.", path, format)
}
