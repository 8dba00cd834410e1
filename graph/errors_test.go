package graph

import (
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"astrolabe/domain"
)

func TestDomainErrorHasItsCodePathAndLocation(t *testing.T) {
	t.Parallel()
	g := serve(t, func(o *Options) { o.Chains = []domain.Chain{domain.Mainnet} })
	a := g.post(t, `{"query":"{\n  other: chain(chainId: SN_SEPOLIA) { id }\n}"}`, map[string]string{"X-Request-Id": "mine-7"})
	if a.status != http.StatusOK || string(a.body.Data) != `{"other":null}` || len(a.body.Errors) != 1 {
		t.Fatalf("got status %d with %s, want 200 with one null field and one error", a.status, a.text)
	}
	e := a.body.Errors[0]
	if e.Extensions.Code != domain.CodeUnsupportedChain || e.Extensions.DocSlug != "errors/unsupported-chain" || e.Extensions.RequestID != "mine-7" {
		t.Errorf("got extensions %+v, want %s and the request ID mine-7", e.Extensions, domain.CodeUnsupportedChain)
	}
	if len(e.Path) != 1 || e.Path[0] != "other" || len(e.Locations) != 1 || e.Locations[0].Line != 2 || e.Locations[0].Column != 3 {
		t.Errorf("got path %v and locations %v, want [other] at 2:3", e.Path, e.Locations)
	}
}

func TestInternalErrorIsHiddenAndLoggedOnce(t *testing.T) {
	t.Parallel()
	g := serve(t, nil)
	g.store.fail(errors.New("password=hunter2"))
	a := g.post(t, `{"query":"{ a: chain(chainId: SN_MAIN) { status { asOf } } b: chain(chainId: SN_SEPOLIA) { status { asOf } } }"}`,
		map[string]string{"X-Request-Id": "find-me"})
	if len(a.body.Errors) != 2 || strings.Contains(a.text, "hunter2") {
		t.Fatalf("got %s, want two errors without the cause", a.text)
	}
	for _, e := range a.body.Errors {
		if e.Extensions.Code != domain.CodeInternal || e.Extensions.RequestID != "find-me" || len(e.Path) != 2 {
			t.Errorf("got %+v, want %s with the request ID find-me and a path of 2", e, domain.CodeInternal)
		}
	}
	if log := g.log.String(); strings.Count(log, "hunter2") != 1 || !strings.Contains(log, "find-me") {
		t.Errorf("got log %s, want the cause once with the request ID", log)
	}
}

func TestPanicIsAnInternalError(t *testing.T) {
	t.Parallel()
	g := serve(t, func(o *Options) { o.Statuses = nil })
	a := g.ask(t, `{ service { version } chain(chainId: SN_MAIN) { status { asOf } } }`, nil)
	if len(a.body.Errors) != 1 || a.body.Errors[0].Extensions.Code != domain.CodeInternal {
		t.Fatalf("got %s, want one error with the code %s", a.text, domain.CodeInternal)
	}
	if string(a.body.Data) != `{"service":{"version":"v1.2.3"},"chain":{"status":null}}` {
		t.Errorf("got data %s, want the other fields", a.body.Data)
	}
	if log := g.log.String(); !strings.Contains(log, "panic") || strings.Contains(a.text, "panic") {
		t.Errorf("got log %s and response %s, want the panic in the log alone", log, a.text)
	}
}

func TestPanicBeforeExecutionIsAnInternalError(t *testing.T) {
	t.Parallel()
	g := serve(t, func(o *Options) { o.Gate = nil })
	a := g.ask(t, `{__typename}`, nil)
	if a.status != http.StatusInternalServerError || len(a.body.Errors) != 1 || a.body.Errors[0].Extensions.Code != domain.CodeInternal || strings.Contains(a.text, "nil") {
		t.Errorf("got status %d with %s, want 500 with %s and no cause", a.status, a.text, domain.CodeInternal)
	}
}

func TestErrorSaysWhenToRetry(t *testing.T) {
	t.Parallel()
	g := serve(t, nil)
	g.store.fail(domain.Unavailable(1500*time.Millisecond, errors.New("down"), "The index is unreachable."))
	a := g.ask(t, `{ status(chain: SN_MAIN) { asOf } }`, nil)
	if len(a.body.Errors) != 1 {
		t.Fatalf("got %s, want one error", a.text)
	}
	if e := a.body.Errors[0]; e.Extensions.Code != domain.CodeServiceUnavailable || e.Extensions.RetryAfterSeconds != 2 || strings.Contains(e.Message, "down") {
		t.Errorf("got %+v, want %s after 2 s without the cause", e, domain.CodeServiceUnavailable)
	}
}

func TestOperationOverItsTimeLimitIsUnavailable(t *testing.T) {
	t.Parallel()
	g := serve(t, func(o *Options) { o.TimeLimit = 20 * time.Millisecond })
	g.store.stall = true
	a := g.ask(t, `{ status(chain: SN_MAIN) { asOf } }`, nil)
	if len(a.body.Errors) != 1 || a.body.Errors[0].Extensions.Code != domain.CodeServiceUnavailable || a.body.Errors[0].Extensions.RetryAfterSeconds == 0 {
		t.Errorf("got status %d with %s, want %s with a delay", a.status, a.text, domain.CodeServiceUnavailable)
	}
}

func TestTimeLimitExceededBeforeExecutionIs503WithRetryAfter(t *testing.T) {
	t.Parallel()
	g := serve(t, func(o *Options) { o.TimeLimit = time.Nanosecond })
	a := g.ask(t, `{ service { version } }`, nil)
	if a.status != http.StatusServiceUnavailable || a.header.Get("Retry-After") == "" || len(a.body.Errors) != 1 {
		t.Errorf("got status %d, header %v, body %s; want 503 with Retry-After", a.status, a.header, a.text)
	}
}

func TestEveryValidationErrorHasACode(t *testing.T) {
	t.Parallel()
	g := serve(t, nil)
	a := g.ask(t, `{ a b c d e f g h }`, nil)
	if len(a.body.Errors) != maxReported {
		t.Fatalf("got %d errors, want %d: %s", len(a.body.Errors), maxReported, a.text)
	}
	for _, e := range a.body.Errors {
		if e.Extensions.Code != domain.CodeInvalidRequest || e.Extensions.RequestID == "" || len(e.Locations) == 0 {
			t.Errorf("got %+v, want %s with a request ID and a location", e, domain.CodeInvalidRequest)
		}
	}
	long := g.ask(t, `{ chain(chainId: "`+strings.Repeat("ü", 1000)+`") { id } }`, nil)
	if len(long.body.Errors) == 0 || len(long.body.Errors[0].Message) > maxDocumentError+10 {
		t.Errorf("got a message of %d bytes, want at most %d", len(long.body.Errors[0].Message), maxDocumentError+10)
	}
}

func TestErrorNamesTheInvalidVariable(t *testing.T) {
	t.Parallel()
	g := serve(t, nil)
	for _, value := range []any{nil, "sn_main", "SN_OTHER", 1, []any{}, map[string]any{}, true} {
		a := g.ask(t, `query($c: ChainId!) { status(chain: $c) { asOf } }`, map[string]any{"c": value})
		if a.body.Data != nil || len(a.body.Errors) != 1 || a.body.Errors[0].Extensions.Code != domain.CodeInvalidRequest || a.body.Errors[0].Path != nil {
			t.Errorf("%v: got %s, want %s without data", value, a.text, domain.CodeInvalidRequest)
		}
	}
	if g.store.count() != 0 {
		t.Errorf("got %d reads, want none", g.store.count())
	}
}
