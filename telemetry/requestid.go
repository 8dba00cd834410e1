package telemetry

import (
	"context"
	"crypto/rand"
)

type requestIDKey struct{}

// WithRequestID returns a context with the id of a request.
func WithRequestID(ctx context.Context, id string) context.Context {
	return context.WithValue(ctx, requestIDKey{}, id)
}

// RequestID returns the request id in ctx, or the empty string if there is
// none.
func RequestID(ctx context.Context) string {
	id, _ := ctx.Value(requestIDKey{}).(string)
	return id
}

// maxRequestID is the longest request id that a caller may choose.
const maxRequestID = 128

// ChooseRequestID returns the caller's id if it is well-formed (1 to 128 of A-Z
// a-z 0-9 . _ : -), so that traces can be joined across services, and a new id
// otherwise.
func ChooseRequestID(callers string) string {
	if len(callers) == 0 || len(callers) > maxRequestID {
		return "req_" + rand.Text()
	}
	for _, c := range []byte(callers) {
		letter := c|0x20 >= 'a' && c|0x20 <= 'z'
		digit := c >= '0' && c <= '9'
		if !letter && !digit && c != '.' && c != '_' && c != ':' && c != '-' {
			return "req_" + rand.Text()
		}
	}
	return callers
}
