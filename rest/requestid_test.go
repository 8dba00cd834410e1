package rest

import (
	"net/http"
	"strings"
	"testing"
)

func TestRequestIDThatLooksLikeACredentialIsReplaced(t *testing.T) {
	t.Parallel()
	s := newService(t, nil)
	for name, given := range map[string]string{"a key": s.access.Key, "a session": s.access.Cookie, "a bearer": s.bearer()} {
		a := s.askWith(http.MethodGet, "/v1/SN_MAIN/status", "X-Request-Id", given)
		if got := a.Header.Get("X-Request-Id"); got == "" || got == given || strings.Contains(a.body+s.log.String(), given) {
			t.Errorf("%s as the request ID: got %q in the header and %s in the body, want a new ID in both and in the log", name, got, a.body)
		}
	}
	const plain = "svc_orders:17"
	if got := s.askWith(http.MethodGet, "/v1/SN_MAIN/status", "X-Request-Id", plain).Header.Get("X-Request-Id"); got != plain {
		t.Errorf("got request ID %q, want %q", got, plain)
	}
}
