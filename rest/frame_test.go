package rest

import (
	"bufio"
	"context"
	"errors"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"astrolabe/domain"
	"astrolabe/domain/chain"
)

func TestEveryFailureHasTheSameShape(t *testing.T) {
	t.Parallel()
	s := newService(t, nil)
	for _, c := range []struct {
		method, path string
		status       int
		code         domain.Code
	}{
		{"GET", "/nothing", 404, domain.CodeUnsupportedRoute},
		{"GET", "/v1/SN_MAIN/nothing", 404, domain.CodeUnsupportedRoute},
		{"GET", "/v1/SN_MAIN/status/", 404, domain.CodeUnsupportedRoute},
		{"GET", "/v2/SN_MAIN/status", 404, domain.CodeUnsupportedRoute},
		{"BREW", "/v1/SN_MAIN/nothing", 404, domain.CodeUnsupportedRoute},
		{"GET", "/v1/SN_GOERLI/status", 400, domain.CodeInvalidRequest},
		{"GET", "/v1/sn_main/status", 400, domain.CodeInvalidRequest},
		{"GET", "/v1/%53N_MAI%4E%2Fx/status", 400, domain.CodeInvalidRequest},
		{"GET", "/v1/SN_SEPOLIA/status", 404, domain.CodeUnsupportedChain},
		{"GET", "/v1/SN_MAIN/status?verbose=1", 400, domain.CodeInvalidRequest},
		{"GET", "/v1/SN_MAIN/status?%zz", 400, domain.CodeInvalidRequest},
		{"POST", "/v1/SN_MAIN/status", 405, domain.CodeMethodNotAllowed},
		{"BREW", "/v1/SN_MAIN/status", 405, domain.CodeMethodNotAllowed},
		{"DELETE", "/openapi.json", 405, domain.CodeMethodNotAllowed},
	} {
		for _, prefix := range []string{"", "/api"} {
			if prefix != "" && !strings.HasPrefix(c.path, "/v1/") {
				continue
			}
			a := s.ask(c.method, prefix+c.path)
			requireFailure(t, a, c.status, c.code)
			if c.status == http.StatusMethodNotAllowed && a.Header.Get("Allow") != "GET, HEAD, OPTIONS" {
				t.Errorf("%s %s: got Allow %q, want GET, HEAD, OPTIONS", c.method, c.path, a.Header.Get("Allow"))
			}
		}
	}
}

func TestErrorNamesTheUnknownParameter(t *testing.T) {
	t.Parallel()
	s := newService(t, nil)
	e := requireFailure(t, s.get("/v1/SN_MAIN/status?verbose=1"), 400, domain.CodeInvalidRequest)
	if !strings.Contains(e.Message, `"verbose"`) {
		t.Errorf("got %q, want it to name verbose", e.Message)
	}
	long := s.get("/v1/SN_MAIN/status?" + strings.Repeat("x", 4000) + "=1")
	if e := requireFailure(t, long, 400, domain.CodeInvalidRequest); len(e.Message) > 200 {
		t.Errorf("got a message of %d bytes, want at most 200", len(e.Message))
	}
}

func TestCompatibilityRoutesReturnTheSameResponses(t *testing.T) {
	t.Parallel()
	s := newService(t, nil)
	for _, path := range []string{"/v1/meta/capabilities", "/v1/meta/evidence"} {
		if s.get(path).body != s.get("/api"+path).body {
			t.Errorf("%s: got another response under /api, want the same", path)
		}
	}
}

func TestMountReceivesMethodsThatTheRouterDoesNotKnow(t *testing.T) {
	t.Parallel()
	s := newService(t, func(o *Options) {
		o.Mounts = []Mount{{Pattern: "/graphql", Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusTeapot) })}}
	})
	for _, method := range []string{"FOO", "PURGE", http.MethodPut} {
		if a := s.ask(method, "/graphql"); a.StatusCode != http.StatusTeapot {
			t.Errorf("%s: got %s, want 418 from the mount", method, a.Status)
		}
	}
}

func TestWrongMethodGetsTheHeadersOfItsRoute(t *testing.T) {
	t.Parallel()
	s := newService(t, nil)
	for _, c := range []struct{ method, path, allow, class string }{
		{"GET", "/v1/SN_MAIN/tx/previews", "POST, OPTIONS", "batch"},
		{"PUT", "/v1/SN_MAIN/tx/previews", "POST, OPTIONS", "batch"},
		{"GET", "/api/v1/SN_MAIN/address/summaries", "POST, OPTIONS", "batch"},
		{"POST", "/v1/SN_MAIN/blocks", "GET, HEAD, OPTIONS", "heavy"},
		{"DELETE", "/v1/SN_MAIN/tx/0x1", "GET, HEAD, OPTIONS", "light"},
	} {
		a := s.ask(c.method, c.path)
		requireFailure(t, a, http.StatusMethodNotAllowed, domain.CodeMethodNotAllowed)
		if a.Header.Get("Allow") != c.allow || a.Header.Get("X-Service-Route-Class") != c.class {
			t.Errorf("%s %s: got the headers %v, want Allow %s and the class %s", c.method, c.path, a.Header, c.allow, c.class)
		}
	}
	if a := s.ask(http.MethodHead, "/v1/SN_MAIN/tx/previews"); a.StatusCode != http.StatusMethodNotAllowed {
		t.Errorf("HEAD: got %d, want 405", a.StatusCode)
	}
}

func TestHeadEqualsGetWithoutABody(t *testing.T) {
	t.Parallel()
	s := newService(t, nil)
	head, get := s.ask(http.MethodHead, "/v1/meta/evidence"), s.get("/v1/meta/evidence")
	if head.StatusCode != 200 || head.body != "" || head.Header.Get("Content-Type") != get.Header.Get("Content-Type") {
		t.Errorf("got %s, %q and the media type %s, want 200, no body and %s", head.Status, head.body, head.Header.Get("Content-Type"), get.Header.Get("Content-Type"))
	}
}

func TestAPanicIsAnInternalErrorWithoutItsText(t *testing.T) {
	t.Parallel()
	s := newService(t, func(o *Options) {
		o.Mounts = []Mount{{Pattern: "/boom", Handler: http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic("secret detail") })}}
	})
	a := s.get("/boom")
	requireFailure(t, a, 500, domain.CodeInternal)
	if strings.Contains(a.body, "secret detail") || !strings.Contains(s.log.String(), "secret detail") {
		t.Errorf("got the response %s and the log %s, want the detail in the log alone", a.body, s.log)
	}
	if a.Header.Get("Cache-Control") != "private, no-store" {
		t.Errorf("got Cache-Control %q, want private, no-store", a.Header.Get("Cache-Control"))
	}
}

// slow is a database that answers only when it is cancelled.
type slow struct{ cancelled chan struct{} }

func (s slow) Heads(ctx context.Context) (map[domain.Chain]chain.Head, error) {
	<-ctx.Done()
	close(s.cancelled)
	return nil, errors.New("canceling statement due to user request")
}

func TestRequestOverItsTimeLimitIsCancelledAndUnavailable(t *testing.T) {
	t.Parallel()
	database := slow{make(chan struct{})}
	s := newService(t, func(o *Options) { o.Statuses = chain.NewStatuses(database, 0) })
	a := s.get("/v1/SN_MAIN/status")
	requireFailure(t, a, 503, domain.CodeServiceUnavailable)
	if a.Header.Get("Retry-After") != "2" {
		t.Errorf("got Retry-After %q, want 2", a.Header.Get("Retry-After"))
	}
	<-database.cancelled
}

func TestEveryResponseHasTheCommonHeaders(t *testing.T) {
	t.Parallel()
	s := newService(t, nil)
	for _, path := range []string{"/v1/SN_MAIN/status", "/nothing", "/v1/SN_FOO/status", "/docs/errors", "/healthz", "/openapi.yaml"} {
		a := s.get(path)
		if a.Header.Get("X-Request-Id") == "" || a.Header.Get("X-Service-Route-Class") != "light" {
			t.Errorf("%s: got the headers %v, want a request id and the class light", path, a.Header)
		}
		if !strings.HasPrefix(a.Header.Get("Cache-Control"), "private, ") {
			t.Errorf("%s: got Cache-Control %q, want private", path, a.Header.Get("Cache-Control"))
		}
		if a.Header.Get("X-Content-Type-Options") != "nosniff" || a.Header.Get("Referrer-Policy") != "no-referrer" || !strings.Contains(a.Header.Get("Content-Security-Policy"), "default-src 'none'") {
			t.Errorf("%s: got the headers %v, want the security headers", path, a.Header)
		}
	}
}

func TestACallersRequestIDIsEchoedWhenWellFormed(t *testing.T) {
	t.Parallel()
	s := newService(t, nil)
	if got := s.ask("GET", "/v1/SN_MAIN/status", "X-Request-Id", "trace:1.a_b-C").Header.Get("X-Request-Id"); got != "trace:1.a_b-C" {
		t.Errorf("got the request id %q, want trace:1.a_b-C", got)
	}
	for _, bad := range [][]string{{"X-Request-Id", "a b"}, {"X-Request-Id", "a", "X-Request-Id", "b"}, {"X-Request-Id", strings.Repeat("x", 129)}} {
		if got := s.ask("GET", "/v1/SN_MAIN/status", bad...).Header.Get("X-Request-Id"); !strings.HasPrefix(got, "req_") {
			t.Errorf("%v: got the request id %q, want one of ours", bad, got)
		}
	}
}

func TestEveryErrorCodeHasADocumentationPage(t *testing.T) {
	t.Parallel()
	s := newService(t, nil)
	slugs := []string{"errors/invalid-cursor", "errors"}
	for _, e := range domain.Catalogue {
		slugs = append(slugs, e.Code.DocSlug())
	}
	for _, slug := range slugs {
		a := s.get("/docs/" + slug)
		if a.StatusCode != 200 || !strings.HasPrefix(a.Header.Get("Content-Type"), "text/html") || !strings.Contains(a.body, "What to do") {
			t.Errorf("/docs/%s: got %s, want 200 and an HTML page that says what to do", slug, a.Status)
		}
	}
}

func TestHeadAndOptionsWorkOnEveryGetRoute(t *testing.T) {
	t.Parallel()
	s := newService(t, func(o *Options) {
		o.Mounts = []Mount{{Pattern: "/page", Page: true, Handler: http.HandlerFunc(func(http.ResponseWriter, *http.Request) {})}}
	})
	for _, path := range []string{"/v1/SN_MAIN/status", "/healthz", "/readyz", "/docs/errors", "/page", "/openapi.json"} {
		if a := s.ask(http.MethodHead, path); a.StatusCode != http.StatusOK || a.body != "" {
			t.Errorf("HEAD %s: got %s %q, want 200 without a body", path, a.Status, a.body)
		}
		if a := s.ask(http.MethodOptions, path); a.StatusCode != http.StatusNoContent || a.Header.Get("Allow") != "GET, HEAD, OPTIONS" {
			t.Errorf("OPTIONS %s: got %s and Allow %q, want 204 and GET, HEAD, OPTIONS", path, a.Status, a.Header.Get("Allow"))
		}
		requireFailure(t, s.ask(http.MethodDelete, path), http.StatusMethodNotAllowed, domain.CodeMethodNotAllowed)
	}
}

// TestMissingBodyDoesNotDelayTheResponse speaks HTTP by hand: it
// announces a body and sends none.
func TestMissingBodyDoesNotDelayTheResponse(t *testing.T) {
	t.Parallel()
	s := newService(t, nil)
	conn, err := net.Dial("tcp", strings.TrimPrefix(s.url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if err := conn.SetDeadline(time.Now().Add(bodyTimeout / 2)); err != nil {
		t.Fatal(err)
	}
	if _, err := conn.Write([]byte("POST /v1/SN_MAIN/status HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n")); err != nil {
		t.Fatal(err)
	}
	response, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusMethodNotAllowed || !response.Close {
		t.Errorf("got %s and close %v, want 405 and the connection closed", response.Status, response.Close)
	}
}

func TestUnreachableDatabaseMakesTheServiceUnavailable(t *testing.T) {
	t.Parallel()
	s := newService(t, nil)
	s.db.Close()
	a := s.get("/v1/SN_MAIN/status")
	requireFailure(t, a, http.StatusServiceUnavailable, domain.CodeServiceUnavailable)
	if a.Header.Get("Retry-After") == "" {
		t.Error("got no Retry-After, want one")
	}
}

func TestPathsAndQueriesStayOutOfTheLog(t *testing.T) {
	t.Parallel()
	s := newService(t, nil)
	s.get("/rpc/v0_10/SN_MAIN/hidden-key?also=hidden-key")
	s.get("/rpc/v0_9/SN_MAIN/hidden-key?also=hidden-key")
	for deadline := time.Now().Add(time.Minute); !strings.Contains(s.log.String(), "route=unmatched") || !strings.Contains(s.log.String(), "/{key}"); s.get("/healthz") {
		if time.Now().After(deadline) {
			t.Fatal("timed out, want the request in the log")
		}
	}
	if strings.Contains(s.log.String(), "hidden-key") {
		t.Errorf("got the log\n%s\nwant no path or query in it", s.log)
	}
}
