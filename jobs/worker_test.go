package jobs

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"astrolabe/domain/chain"
	"astrolabe/telemetry"
)

// TestAnOutageIsLoggedWhenItBeginsAndWhenItEnds fails and succeeds several
// times in a row.
func TestAnOutageIsLoggedWhenItBeginsAndWhenItEnds(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	var failure error
	w := &worker[args]{
		job:      Periodic[args]{Run: func(context.Context, time.Time) error { return failure }},
		reporter: newReporter("test", slog.New(slog.NewTextHandler(&log, nil)), telemetry.NewMetrics()),
	}
	away := errors.New("the node is away")
	for i, run := range []struct {
		failure error
		logged  string // the level
	}{
		{nil, ""}, {away, "WARN"}, {away, ""}, {nil, "INFO"}, {nil, ""}, {away, ""}, {nil, ""}, // within a minute
	} {
		log.Reset()
		failure = run.failure
		if err := w.Work(t.Context(), nil); !errors.Is(err, run.failure) {
			t.Errorf("run %d: got %v, want %v", i, err, run.failure)
		}
		line := log.String()
		if run.logged == "" {
			if line != "" {
				t.Errorf("run %d: got the log %s, want none", i, line)
			}
			continue
		}
		if strings.Count(line, "\n") != 1 || !strings.Contains(line, "level="+run.logged) || !strings.Contains(line, "job=test") {
			t.Errorf("run %d: got the log %q, want one line of level %s", i, line, run.logged)
		}
		if run.failure != nil && !strings.Contains(line, away.Error()) {
			t.Errorf("run %d: got the log %s, want it to say %v", i, line, away)
		}
	}
	metrics := httptest.NewRecorder()
	w.metrics.Handler().ServeHTTP(metrics, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/metrics", nil))
	for _, line := range []string{`outcome="error"} 3`, `outcome="ok"} 4`} {
		if !strings.Contains(metrics.Body.String(), line) {
			t.Errorf("got the metrics\n%s\nwant %s", metrics.Body.String(), line)
		}
	}
}

// TestAShutdownIsNotAnOutage cancels a run as a stopping process does, and lets
// another exceed its time limit.
func TestAShutdownIsNotAnOutage(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	w := &worker[args]{
		job:      Periodic[args]{Run: func(ctx context.Context, _ time.Time) error { return ctx.Err() }},
		reporter: newReporter("test", slog.New(slog.NewTextHandler(&log, nil)), telemetry.NewMetrics()),
	}
	stopped, stop := context.WithCancel(t.Context())
	stop()
	if err := w.Work(stopped, nil); err == nil || log.Len() != 0 {
		t.Errorf("stopped: got %v and the log %s, want an error that is not logged", err, log.String())
	}
	late, cancel := context.WithDeadline(t.Context(), time.Now())
	defer cancel()
	if err := w.Work(late, nil); err == nil || !strings.Contains(log.String(), "deadline exceeded") {
		t.Errorf("too late: got %v and the log %q, want a logged deadline", err, log.String())
	}
}

func TestAWaitForARateLimitIsNotAnOutage(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	w := &worker[args]{
		job:      Periodic[args]{Run: func(context.Context, time.Time) error { return chain.ErrRateLimited }},
		reporter: newReporter("test", slog.New(slog.NewTextHandler(&log, nil)), telemetry.NewMetrics()),
	}
	if err := w.Work(t.Context(), nil); err == nil || log.Len() != 0 {
		t.Errorf("got %v and the log %s, want an error that is not logged", err, log.String())
	}
}
