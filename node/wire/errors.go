package wire

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// ErrInvalid means that a response was truncated, contradicted itself or the
// request, or did not match the specification.
var ErrInvalid = errors.New("the node's answer is not valid")

// RPCError is an error response of a node. It is not retried and is not a fault
// of the upstream.
type RPCError struct {
	Code    int
	Message string
	// Data is the error's data as the node wrote it, nil when there is none.
	Data json.RawMessage
	// Raw is the whole error object as the node wrote it.
	Raw json.RawMessage
}

// Error prints the code and the beginning of the message.
func (e *RPCError) Error() string {
	return fmt.Sprintf("the node answered with error %d: %s", e.Code, Clip(e.Message, 200))
}

// Clip limits what a hostile node can write into a log line.
func Clip(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	return strings.ToValidUTF8(text[:limit], "") + "…"
}

// Invalid returns an error that wraps ErrInvalid.
func Invalid(format string, args ...any) error {
	return fmt.Errorf("%w: %w", ErrInvalid, fmt.Errorf(format, args...))
}
