package socket

import (
	"fmt"
	"net/http"
)

// RefusedError means that the upstream answered a handshake with an HTTP status
// that is no temporary failure: it does not offer WebSocket connections.
type RefusedError struct{ Status int }

// Error implements error.
func (e *RefusedError) Error() string {
	return fmt.Sprintf("it answered the WebSocket handshake with status %d %s", e.Status, http.StatusText(e.Status))
}

// lasting reports whether a handshake with the same URL will get this status again.
func lasting(status int) bool {
	switch status {
	case http.StatusSwitchingProtocols, http.StatusRequestTimeout, http.StatusTooManyRequests:
		return false
	case http.StatusNotImplemented:
		return true
	}
	return status < http.StatusInternalServerError
}
