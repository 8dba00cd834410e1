package pg

import (
	"bytes"
	"fmt"
	"log/slog"
	"strings"
	"testing"
)

func newRecordedLog() (*serverLog, *bytes.Buffer) {
	var text bytes.Buffer
	handler := slog.NewTextHandler(&text, &slog.HandlerOptions{Level: slog.LevelDebug})
	return &serverLog{logger: slog.New(handler)}, &text
}

func TestServerLogLinesKeepTheirLevel(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]string{
		"postmaster| LOG:  ready":             "DEBUG",
		"client backend| WARNING:  bad page":  "WARN",
		"client backend| FATAL:  starting up": "DEBUG",
		"walwriter| FATAL:  disk full":        "WARN",
		"autovacuum worker| WARNING:  terminating connection because of crash of another server process": "DEBUG",
		"autovacuum worker| ERROR:  disk full":    "WARN",
		"checkpointer| PANIC:  could not fsync":   "ERROR",
		"client backend| ERROR:  bad value":       "",
		"parallel worker| ERROR:  bad value":      "",
		"postgres: error while loading libraries": "DEBUG",
		"": "",
	} {
		log, text := newRecordedLog()
		if _, err := log.Write([]byte(line + "\n")); err != nil {
			t.Fatal(err)
		}
		got := text.String()
		if (want == "" && got != "") || !strings.Contains(got, want) {
			t.Errorf("%q is logged as %q, want %s", line, got, want)
		}
	}
}

func TestContinuationOfAnOmittedMessageIsOmitted(t *testing.T) {
	t.Parallel()
	log, text := newRecordedLog()
	for _, piece := range []string{"client backend| ERR", "OR:  bad: first\n\tsecret", "\n\tsecret\npostmaster| LOG:  on\n\tand on\n"} {
		if _, err := log.Write([]byte(piece)); err != nil {
			t.Fatal(err)
		}
	}
	if got := text.String(); strings.Contains(got, "secret") || !strings.Contains(got, "and on") {
		t.Fatalf("got the log %q, want it without the omitted message", got)
	}
}

func TestRestOfAnOverlongMessageIsOmitted(t *testing.T) {
	t.Parallel()
	log, text := newRecordedLog()
	fmt.Fprintf(log, "client backend| ERROR:  %s secret", strings.Repeat("x", longestLine))
	fmt.Fprint(log, "secret\npostmaster| LOG:  on\n")
	if got := text.String(); strings.Contains(got, "secret") || !strings.Contains(got, "on") {
		t.Fatalf("got the log %q, want it without the omitted message", got)
	}
}

func TestReasonIsTheBoundedTailOfTheLog(t *testing.T) {
	t.Parallel()
	log, _ := newRecordedLog()
	if got := log.reason(); got != "" {
		t.Fatalf("without a log: got %q, want no reason", got)
	}
	for i := range 1000 {
		fmt.Fprintf(log, "line %d\n", i)
	}
	fmt.Fprintln(log, strings.Repeat("x", 10*longestLine))
	got := log.reason()
	if strings.Contains(got, "line 900;") || !strings.Contains(got, "line 999;") || len(got) > 2*longestLine {
		t.Fatalf("got a reason of %d bytes, want only the last lines: %.200s", len(got), got)
	}
}
