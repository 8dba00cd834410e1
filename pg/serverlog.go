package pg

import (
	"bytes"
	"context"
	"log/slog"
	"strings"
	"sync"
)

// logPrefix makes the server begin each message with the kind of its process.
const logPrefix = "%b| "

const (
	tailLines   = 12
	longestLine = 4 << 10
)

// serverLog passes what a Postgres program writes on to the logger, line by
// line, and keeps the last lines to explain a failure.
type serverLog struct {
	logger *slog.Logger

	mu      sync.Mutex
	partial []byte
	tail    []string
	skip    bool // the lines that continue a message left out
}

// Write takes the next piece of output; it never fails. What a line has beyond
// a reasonable length is dropped.
func (l *serverLog) Write(output []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	written := len(output)
	for len(output) > 0 {
		part, rest, ended := bytes.Cut(output, []byte("\n"))
		l.partial = append(l.partial, part[:min(len(part), longestLine-len(l.partial))]...)
		if ended {
			l.line(string(l.partial))
			l.partial = l.partial[:0]
		}
		output = rest
	}
	return written, nil
}

// line records one line. An ERROR in a client's session is left out: the
// client has it already, and it may quote values that no log should hold.
func (l *serverLog) line(line string) {
	if strings.HasPrefix(line, "\t") && l.skip {
		return
	}
	process, message, found := strings.Cut(line, "| ")
	if !found {
		process, message = "", line
	}
	severity, _, _ := strings.Cut(message, ":")
	l.skip = severity == "ERROR" && (process == "client backend" || process == "parallel worker")
	if l.skip || strings.TrimSpace(message) == "" {
		return
	}
	l.tail = append(l.tail, message)
	if len(l.tail) > tailLines {
		l.tail = l.tail[1:]
	}
	level := slog.LevelDebug
	switch {
	case strings.HasSuffix(message, "terminating connection due to administrator command"):
		// what our own Stop does to the sessions that are left
	case severity == "PANIC":
		level = slog.LevelError
	case severity == "WARNING" || severity == "ERROR" || severity == "FATAL":
		level = slog.LevelWarn
	}
	l.logger.Log(context.Background(), level, message, "from", "postgres", "process", process)
}

// reason answers ": it said …" with the last lines, or "" when there are none.
func (l *serverLog) reason() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.tail) == 0 {
		return ""
	}
	return ": it said: " + strings.Join(l.tail, "; ")
}
