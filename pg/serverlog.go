package pg

import (
	"bytes"
	"context"
	"log/slog"
	"strings"
	"sync"
)

// logPrefix makes the server start each message with the kind of its process.
const logPrefix = "%b| "

const (
	tailLines   = 12
	longestLine = 4 << 10
)

// serverLog passes the output of a Postgres program to the logger, line by
// line, and keeps the last lines to explain a failure.
type serverLog struct {
	logger *slog.Logger

	mu      sync.Mutex
	partial []byte
	tail    []string
	skip    bool // skip the continuation lines of an omitted message
}

// Write processes output; it never fails. Long lines are truncated.
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

// line records one line. An ERROR in the session of a client is omitted: the
// client has it already, and it may quote values that must not be logged.
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
	// A client has the error that ends its session, and a restart ends many.
	ends := endsSession(process, severity, message)
	if !ends {
		l.tail = append(l.tail, message)
		l.tail = l.tail[max(0, len(l.tail)-tailLines):]
	}
	level := slog.LevelDebug
	switch {
	case ends:
	case severity == "PANIC":
		level = slog.LevelError
	case severity == "WARNING" || severity == "ERROR" || severity == "FATAL":
		level = slog.LevelWarn
	}
	l.logger.Log(context.Background(), level, message, "from", "postgres", "process", process)
}

// endsSession reports whether a message only says that a session ends or is not
// accepted, such as during a start, a stop or a crash of the server.
func endsSession(process, severity, message string) bool {
	return strings.Contains(message, "terminating connection") || severity == "FATAL" && process == "client backend"
}

// reason returns ": it said …" with the last lines, or "" if there are none.
func (l *serverLog) reason() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.tail) == 0 {
		return ""
	}
	return ": it said: " + strings.Join(l.tail, "; ")
}
