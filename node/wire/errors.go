package wire

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// ErrInvalid means that an answer was cut off, contradicted itself or the
// question, or had another shape than the specification gives it.
var ErrInvalid = errors.New("the node's answer is not valid")

// RPCError is an error that a node answered with. It is an answer like any
// other: it is not retried and says nothing against the upstream.
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

// Clip bounds what a hostile node can put into a log line.
func Clip(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	return strings.ToValidUTF8(text[:limit], "") + "…"
}

// Invalid makes an error that is ErrInvalid.
func Invalid(format string, args ...any) error {
	return fmt.Errorf("%w: %w", ErrInvalid, fmt.Errorf(format, args...))
}
