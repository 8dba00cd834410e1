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
		{"GET", "/", 404, domain.CodeUnsupportedRoute},
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
				t.Errorf("%s %s: Allow is %q", c.method, c.path, a.Header.Get("Allow"))
			}
		}
	}
}

func TestErrorNamesTheUnknownParameter(t *testing.T) {
	t.Parallel()
	s := newService(t, nil)
	e := requireFailure(t, s.get("/v1/SN_MAIN/status?verbose=1"), 400, domain.CodeInvalidRequest)
	if !strings.Contains(e.Message, `"verbose"`) {
		t.Errorf("message: %s", e.Message)
	}
	long := s.get("/v1/SN_MAIN/status?" + strings.Repeat("x", 4000) + "=1")
	if e := requireFailure(t, long, 400, domain.CodeInvalidRequest); len(e.Message) > 200 {
		t.Errorf("a hostile name fills the answer: %d bytes", len(e.Message))
	}
}

func TestCompatibilityRoutesReturnTheSameResponses(t *testing.T) {
	t.Parallel()
	s := newService(t, nil)
	for _, path := range []string{"/v1/meta/capabilities", "/v1/meta/evidence"} {
		if s.get(path).body != s.get("/api"+path).body {
			t.Errorf("%s and its /api shape differ", path)
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
			t.Errorf("%s: %s", method, a.Status)
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
			t.Errorf("%s %s: %v", c.method, c.path, a.Header)
		}
	}
	if a := s.ask(http.MethodHead, "/v1/SN_MAIN/tx/previews"); a.StatusCode != http.StatusMethodNotAllowed {
		t.Errorf("HEAD is %d", a.StatusCode)
	}
}

func TestHeadEqualsGetWithoutABody(t *testing.T) {
	t.Parallel()
	s := newService(t, nil)
	head, get := s.ask(http.MethodHead, "/v1/meta/evidence"), s.get("/v1/meta/evidence")
	if head.StatusCode != 200 || head.body != "" || head.Header.Get("Content-Type") != get.Header.Get("Content-Type") {
		t.Errorf("%s %q", head.Status, head.body)
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
		t.Error("the detail belongs into the log alone")
	}
	if a.Header.Get("Cache-Control") != "private, no-store" {
		t.Errorf("Cache-Control: %s", a.Header.Get("Cache-Control"))
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
		t.Errorf("Retry-After: %q", a.Header.Get("Retry-After"))
	}
	<-database.cancelled
}

func TestEveryResponseHasTheCommonHeaders(t *testing.T) {
	t.Parallel()
	s := newService(t, nil)
	for _, path := range []string{"/v1/SN_MAIN/status", "/nothing", "/v1/SN_FOO/status", "/docs/errors", "/healthz", "/openapi.yaml"} {
		a := s.get(path)
		if a.Header.Get("X-Request-Id") == "" || a.Header.Get("X-Service-Route-Class") != "light" {
			t.Errorf("%s: %v", path, a.Header)
		}
		if !strings.HasPrefix(a.Header.Get("Cache-Control"), "private, ") {
			t.Errorf("%s: Cache-Control is %q", path, a.Header.Get("Cache-Control"))
		}
		if a.Header.Get("X-Content-Type-Options") != "nosniff" || a.Header.Get("Referrer-Policy") != "no-referrer" || !strings.Contains(a.Header.Get("Content-Security-Policy"), "default-src 'none'") {
			t.Errorf("%s lacks security headers: %v", path, a.Header)
		}
	}
}

func TestACallersRequestIDIsEchoedWhenWellFormed(t *testing.T) {
	t.Parallel()
	s := newService(t, nil)
	if got := s.ask("GET", "/v1/SN_MAIN/status", "X-Request-Id", "trace:1.a_b-C").Header.Get("X-Request-Id"); got != "trace:1.a_b-C" {
		t.Errorf("got %q", got)
	}
	for _, bad := range [][]string{{"X-Request-Id", "a b"}, {"X-Request-Id", "a", "X-Request-Id", "b"}, {"X-Request-Id", strings.Repeat("x", 129)}} {
		if got := s.ask("GET", "/v1/SN_MAIN/status", bad...).Header.Get("X-Request-Id"); !strings.HasPrefix(got, "req_") {
			t.Errorf("%v was echoed as %q", bad, got)
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
			t.Errorf("/docs/%s: %s", slug, a.Status)
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
			t.Errorf("HEAD %s: %s %q", path, a.Status, a.body)
		}
		if a := s.ask(http.MethodOptions, path); a.StatusCode != http.StatusNoContent || a.Header.Get("Allow") != "GET, HEAD, OPTIONS" {
			t.Errorf("OPTIONS %s: %s, Allow %q", path, a.Status, a.Header.Get("Allow"))
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
		t.Errorf("%s, close %v", response.Status, response.Close)
	}
}

func TestUnreachableDatabaseMakesTheServiceUnavailable(t *testing.T) {
	t.Parallel()
	s := newService(t, nil)
	s.db.Close()
	a := s.get("/v1/SN_MAIN/status")
	requireFailure(t, a, http.StatusServiceUnavailable, domain.CodeServiceUnavailable)
	if a.Header.Get("Retry-After") == "" {
		t.Error("no Retry-After")
	}
}

func TestPathsAndQueriesStayOutOfTheLog(t *testing.T) {
	t.Parallel()
	s := newService(t, nil)
	s.get("/rpc/v0_10/SN_MAIN/hidden-key?also=hidden-key")
	for deadline := time.Now().Add(time.Minute); !strings.Contains(s.log.String(), "route=unmatched"); s.get("/healthz") {
		if time.Now().After(deadline) {
			t.Fatal("the request was not logged at all")
		}
	}
	if strings.Contains(s.log.String(), "hidden-key") {
		t.Errorf("logged:\n%s", s.log)
	}
}
