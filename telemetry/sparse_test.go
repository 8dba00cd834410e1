package telemetry

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

func TestARepeatedWarningIsLoggedOncePerMinute(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer
		logger := Sparse(slog.New(slog.NewTextHandler(&log, nil)), Kind)
		for range 90 { // seconds
			logger.Warn("no database", "chain", "SN_MAIN", "error", time.Now())
			time.Sleep(time.Second)
		}
		logger.Warn("no database", "chain", "SN_SEPOLIA")
		logger.Info("said")
		logger.Info("said")
		got := log.String()
		for text, want := range map[string]int{"SN_MAIN": 2, "repeated=59": 1, "SN_SEPOLIA": 1, "said": 2} {
			if n := strings.Count(got, text); n != want {
				t.Errorf("got %q %d times, want %d:\n%s", text, n, want, got)
			}
		}
	})
}
