package telemetry

import (
	"context"
	"crypto/rand"
)

type requestIDKey struct{}

// WithRequestID carries a request's id to everything that happens on its
// behalf.
func WithRequestID(ctx context.Context, id string) context.Context {
	return context.WithValue(ctx, requestIDKey{}, id)
}

// RequestID returns the id of the request that ctx belongs to, or the empty
// string outside of one.
func RequestID(ctx context.Context) string {
	id, _ := ctx.Value(requestIDKey{}).(string)
	return id
}

// maxRequestID bounds a caller's own id.
const maxRequestID = 128

// ChooseRequestID keeps a caller's id when it is well-formed (1 to 128 of
// A-Z a-z 0-9 . _ : -), so that traces join up across services, and makes a
// fresh one otherwise.
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
