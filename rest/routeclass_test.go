package rest

import (
	"net/http"
	"testing"

	"astrolabe/domain/account"
)

func TestPreflightNamesTheRouteClass(t *testing.T) {
	t.Parallel()
	s := newService(t, func(o *Options) {
		o.Mounts = []Mount{{Pattern: "/graphql", Class: account.Query, Handler: http.NotFoundHandler()}}
	})
	for _, c := range []struct{ method, path, class string }{
		{http.MethodGet, "/v1/SN_MAIN/status", "light"},
		{http.MethodGet, "/v1/SN_MAIN/blocks", "heavy"},
		{http.MethodHead, "/api/v1/SN_MAIN/blocks", "heavy"},
		{http.MethodPost, "/v1/SN_MAIN/tx/previews", "batch"},
		{http.MethodPost, "/graphql", "graphql"},
		{http.MethodGet, "/nowhere", "light"},
	} {
		a := s.askWith(http.MethodOptions, c.path, "Origin", "https://wallet.example", "Access-Control-Request-Method", c.method)
		if got := a.Header.Get("X-Service-Route-Class"); a.StatusCode != http.StatusNoContent || got != c.class {
			t.Errorf("%s %s: got status %d and class %q, want 204 and %q", c.method, c.path, a.StatusCode, got, c.class)
		}
	}
}

// TestMountNamesItsRouteClass also asks by a method that the router does not
// know.
func TestMountNamesItsRouteClass(t *testing.T) {
	t.Parallel()
	s := newService(t, func(o *Options) {
		o.Mounts = []Mount{{Pattern: "/graphql", Class: account.Query, Handler: http.HandlerFunc(func(http.ResponseWriter, *http.Request) {})}}
	})
	for _, method := range []string{http.MethodGet, http.MethodPost, http.MethodOptions, "BREW"} {
		if got := s.askWith(method, "/graphql").Header.Get("X-Service-Route-Class"); got != "graphql" {
			t.Errorf("%s: got class %q, want graphql", method, got)
		}
	}
}
