package terminal

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"
	"time"

	"astrolabe/domain"
	"astrolabe/jobs/index"
)

func TestLogIsWrittenAboveTheProgressLine(t *testing.T) {
	t.Parallel()
	var terminal bytes.Buffer
	s := &Screen{terminal: &terminal, lines: make(map[domain.Chain]string)}
	logger := slog.New(slog.NewTextHandler(s, nil))
	s.Report(index.Progress{Chain: domain.Mainnet, Block: 50, Head: 200, BlocksPerSecond: 10, EventsPerSecond: 99, Left: 15 * time.Second, Share: 0.25})
	logger.Info("something else")
	s.Report(index.Progress{Chain: domain.Mainnet, Done: true})
	logger.Info("the end")
	const line = "SN_MAIN  25.0 %, block 50 of 200, 10 blocks/s, 99 events/s, 15s left"
	parts := strings.Split(terminal.String(), eraseLine)
	if len(parts) != 3 || parts[0] != line || !strings.HasSuffix(parts[1], "\n"+line) ||
		!strings.Contains(parts[2], "the end") || strings.Contains(parts[2], "SN_MAIN") {
		t.Errorf("got %q on the terminal, want the log above the line of progress", parts)
	}
}

func TestFileIsNotATerminal(t *testing.T) {
	t.Parallel()
	if On(new(bytes.Buffer)) != nil {
		t.Error("got a buffer as a terminal, want none")
	}
}
