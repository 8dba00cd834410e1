package repo

import (
	"bytes"
	"errors"
	"io"
	"log/slog"
	"strings"
	"sync/atomic"
	"testing"

	"astrolabe/domain"
	"astrolabe/telemetry"
)

func TestErrorsOfTheQueueSayWhetherTheDatabaseIsAway(t *testing.T) {
	t.Parallel()
	for value, want := range map[any]bool{
		"error starting transaction: failed to connect to `user=a database=b`: dial error": true,
		"FATAL: terminating connection due to unexpected postmaster exit (SQLSTATE 57P01)": true,
		"ERROR: relation \"river_job\" does not exist (SQLSTATE 42P01)":                    false,
		io.ErrUnexpectedEOF:       true,
		errors.New("a wrong job"): false,
	} {
		if got := domain.DatabaseAway(riverError(slog.AnyValue(value))); got != want {
			t.Errorf("%v: got %t, want %t", value, got, want)
		}
	}
}

// TestQueueThatGivesUpLogsAnErrorThatAnOutageCounts logs what River logs, without
// an error of its own, after it has failed too often.
func TestQueueThatGivesUpLogsAnErrorThatAnOutageCounts(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	outage := &telemetry.Outage{Logger: slog.New(slog.NewTextHandler(&log, nil)), Lost: "the database is lost"}
	absorbed := outage.Absorb(outage.Logger, func(err error) bool { return errors.Is(err, ErrQueueGaveUp) })
	river := slog.New(queueLog{absorbed.Handler(), new(atomic.Bool)})
	river.Error("jobcompleter.BatchCompleter: Too many errors; giving up")
	river.Warn("leadership.Elector: Current leader stepping down because the reelection deadline elapsed", "client_id", "x")
	if got := log.String(); strings.Count(got, "\n") != 1 || !strings.Contains(got, "the database is lost") {
		t.Errorf("got the log %s, want only the outage of the database", got)
	}
}

func TestTextOfAConnectionErrorOfTheQueueIsPlain(t *testing.T) {
	t.Parallel()
	err := riverError(slog.StringValue("failed to connect to `user=a`: dial error: dial unix /run/x: connect: no such file"))
	if got := err.Error(); strings.Contains(got, "dial") || !strings.Contains(got, "does not accept connections") {
		t.Errorf("got %q, want plain words", got)
	}
}
