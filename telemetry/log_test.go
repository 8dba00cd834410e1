package telemetry

import (
	"bytes"
	"strings"
	"testing"
	"time"
)

func TestDurationsAreWrittenAlikeInBothFormats(t *testing.T) {
	t.Parallel()
	for format, want := range map[string]string{"json": `"took":"1.5s"`, "text": "took=1.5s"} {
		var log bytes.Buffer
		logger, err := NewLogger(&log, format, "info")
		if err != nil {
			t.Fatal(err)
		}
		logger.Info("ready", "took", 1500*time.Millisecond)
		if got := log.String(); !strings.Contains(got, want) {
			t.Errorf("%s: got %s, want %s", format, got, want)
		}
	}
}
