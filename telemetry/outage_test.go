package telemetry

import (
	"bytes"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

var errAway = errors.New("nobody answers")

// isAway reports whether errAway caused an error.
func isAway(err error) bool { return errors.Is(err, errAway) }

func newOutage(log *bytes.Buffer) *Outage {
	return &Outage{Logger: slog.New(slog.NewTextHandler(log, nil)), Lost: "it is lost", Back: "it is back"}
}

func TestOutageIsOneLinePerMinuteWithTheFailuresSince(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer
		outage := newOutage(&log)
		outage.Over()   // there was none
		for range 130 { // seconds
			outage.Failed(errAway)
			time.Sleep(time.Second)
		}
		outage.Over()
		outage.Over()
		got := log.String()
		for text, want := range map[string]int{"it is lost": 3, "failures=1 ": 1, "failures=60 ": 2, "it is back": 1, "after=2m10s failures=9": 1} {
			if n := strings.Count(got, text); n != want {
				t.Errorf("got %q %d times, want %d:\n%s", text, n, want, got)
			}
		}
	})
}

func TestOutageBeginsNotLaterThanItsFirstLine(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer
		time.Sleep(700 * time.Millisecond)
		newOutage(&log).Failed(errAway)
		if want := "since=" + time.Now().UTC().Format("2006-01-02T15:04:05") + ".000Z"; !strings.Contains(log.String(), want) {
			t.Errorf("got the log %s, want %s", log.String(), want)
		}
	})
}

func TestOutageThatComesAndGoesIsTwoLinesPerMinute(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer
		outage := newOutage(&log)
		for range 60 { // seconds
			outage.Failed(errAway)
			outage.Over()
			time.Sleep(time.Second)
		}
		if n := strings.Count(log.String(), "\n"); n != 2 {
			t.Errorf("got %d lines, want 2:\n%s", n, log.String())
		}
	})
}

func TestOutageAbsorbsWhatFailsBecauseOfIt(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	outage := newOutage(&log)
	logger := outage.Absorb(outage.Logger, isAway).With("process", 1)
	for range 3 {
		logger.Error("request failed", "error", errAway)
		logger.Error("request failed", "error", errors.New("a bug"))
	}
	logger.Warn(outage.Lost, "error", "nobody answers") // of a child process
	logger.Info(outage.Back)
	got := log.String()
	for text, want := range map[string]int{"it is lost": 1, "a bug": 3, "request failed": 3, "it is back": 0} {
		if n := strings.Count(got, text); n != want {
			t.Errorf("got %q %d times, want %d:\n%s", text, n, want, got)
		}
	}
	if log.Reset(); !outage.Lasts() {
		t.Error("got no outage, want one")
	}
	if outage.Over(); !strings.Contains(log.String(), "failures=3") {
		t.Errorf("got the log %s, want 3 failures after the first", log.String())
	}
}

func TestFailureThatAnotherOutageReportsBeginsNone(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	database := newOutage(&log)
	job := &Outage{Logger: database.Absorb(database.Logger, isAway), Lost: "the job failed", Back: "the job recovered", Reported: isAway}
	job.Failed(errAway)
	job.Over()
	if got := log.String(); strings.Contains(got, "job") || strings.Count(got, "it is lost") != 1 {
		t.Errorf("got the log %s, want only the outage of the database", got)
	}
}
