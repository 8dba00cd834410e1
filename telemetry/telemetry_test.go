package telemetry

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

func TestErrorNamesTheUnknownLogSetting(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ format, level, want string }{
		{"xml", "info", `log format "xml" is not one of text, json`},
		{"json", "loud", `log level "loud" is not one of debug, info, warn, error`},
	} {
		if _, err := NewLogger(nil, c.format, c.level); err == nil || err.Error() != c.want {
			t.Errorf("got %v, want %s", err, c.want)
		}
	}
	var out strings.Builder
	logger, err := NewLogger(&out, "json", "warn")
	if err != nil {
		t.Fatal(err)
	}
	logger.Info("quiet")
	logger.Warn("loud")
	if got := out.String(); strings.Contains(got, "quiet") || !strings.HasPrefix(got, `{"time"`) {
		t.Errorf("got the log %s, want JSON without debug messages", got)
	}
}

func TestOnlyWellFormedRequestIDsAreAccepted(t *testing.T) {
	t.Parallel()
	for _, good := range []string{"a", "A.b_c:9-", strings.Repeat("x", 128)} {
		if got := ChooseRequestID(good); got != good {
			t.Errorf("%q: got %q, want it unchanged", good, got)
		}
	}
	for _, bad := range []string{"", " ", "a b", "a\nb", "é", "a/b", "[", "@", strings.Repeat("x", 129)} {
		got := ChooseRequestID(bad)
		if got == bad || got != ChooseRequestID(got) {
			t.Errorf("%q: got %q, want a new valid ID", bad, got)
		}
	}
}

func TestReadinessNamesTheFailedCheckButNotItsError(t *testing.T) {
	t.Parallel()
	var health Health
	failing := errors.New("connect to db.internal: refused")
	health.Check("database", func(context.Context) error { return failing })
	health.Check("other", func(context.Context) error { return nil })
	if status, body := ask(health.Ready); status != http.StatusServiceUnavailable || body != `{"status":"unready","failing":["database"]}` {
		t.Errorf("got status %d with %s, want 503 that names the database", status, body)
	}
	failing = nil
	if status, body := ask(health.Ready); status != http.StatusOK || body != `{"status":"ready"}` {
		t.Errorf("got status %d with %s, want 200", status, body)
	}
	health.Drain()
	if status, _ := ask(health.Ready); status != http.StatusServiceUnavailable {
		t.Errorf("while draining: got readiness %d, want 503", status)
	}
	if status, _ := ask(health.Live); status != http.StatusOK {
		t.Errorf("while draining: got liveness %d, want 200", status)
	}
}

func ask(handler http.HandlerFunc) (int, string) {
	answer := httptest.NewRecorder()
	handler(answer, httptest.NewRequest(http.MethodGet, "/", nil))
	return answer.Code, strings.TrimSpace(answer.Body.String())
}
