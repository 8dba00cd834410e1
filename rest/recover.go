package rest

import (
	"fmt"
	"net/http"
	"runtime/debug"

	"astrolabe/rest/frame"
)

// recover turns a panic into internal_error and logs the stack.
// http.ErrAbortHandler is passed on to the server.
func (s *server) recover(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer func() {
			switch reason := recover(); reason {
			case nil:
			case http.ErrAbortHandler:
				panic(reason)
			default:
				frame.Fail(w, r, s.Logger, fmt.Errorf("panic: %v\n%s", reason, debug.Stack()))
			}
		}()
		next.ServeHTTP(w, r)
	})
}
