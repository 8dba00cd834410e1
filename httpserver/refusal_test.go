package httpserver

import (
	"fmt"
	"net"
	"net/http"
	"testing"
)

// TestUnreadableRequestGetsTheServicesResponse sends what net/http refuses
// before it calls a handler.
func TestUnreadableRequestGetsTheServicesResponse(t *testing.T) {
	t.Parallel()
	listener := startWith(t, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) }, func(l net.Listener) *Listener {
		limited := Limit(l, Limits{Connections: 100})
		limited.Refuse = func(status int) []byte {
			return fmt.Appendf(nil, "HTTP/1.1 %d x\r\nContent-Length: 4\r\nConnection: close\r\n\r\nours", status)
		}
		return limited
	})
	for request, want := range map[string]string{
		"GET /%zz HTTP/1.1\r\nHost: test\r\n\r\n":      "400 x ours",
		"GET /% HTTP/1.1\r\nHost: test\r\n\r\n":        "400 x ours",
		"GET /a\x00b HTTP/1.1\r\nHost: test\r\n\r\n":   "400 x ours",
		"GET / HTTP/1.1\r\n\r\n":                       "400 x ours",
		"GET / HTTP/3.0\r\nHost: test\r\n\r\n":         "505 x ours",
		"GET //a//b%00 HTTP/1.1\r\nHost: test\r\n\r\n": "204 No Content ",
	} {
		if got, err := dial(t, listener, request); err != nil || got != want {
			t.Errorf("%q: got %q, %v, want %q", request, got, err, want)
		}
	}
}

// TestPlainTextOfAHandlerIsNotReplaced answers almost as net/http refuses.
func TestPlainTextOfAHandlerIsNotReplaced(t *testing.T) {
	t.Parallel()
	listener := startWith(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Connection", "close")
		http.Error(w, "400 Bad Request", http.StatusBadRequest)
	}, func(l net.Listener) *Listener {
		limited := Limit(l, Limits{Connections: 100})
		limited.Refuse = func(int) []byte { return []byte("HTTP/1.1 500 x\r\nContent-Length: 0\r\n\r\n") }
		return limited
	})
	if got, err := dial(t, listener, get); err != nil || got != "400 Bad Request 400 Bad Request\n" {
		t.Errorf("got %q, %v, want the handler's response", got, err)
	}
}
