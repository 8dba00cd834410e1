package child

import (
	"bytes"
	"context"
	"encoding/json"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"time"
)

// longestLine bounds a line of the log. The rest of a longer one is dropped.
const longestLine = 16 << 10

// lines logs what a child prints, one record for each line. A line that a JSON
// logger wrote keeps its level, message and attributes; any other, such as that
// of a panic, is a warning.
type lines struct {
	logger *slog.Logger

	mu      sync.Mutex
	partial []byte
}

// Write logs the lines that are complete.
func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for rest := p; ; {
		line, after, found := bytes.Cut(rest, []byte{'\n'})
		l.partial = append(l.partial, line[:min(len(line), longestLine-len(l.partial))]...)
		if !found {
			return len(p), nil
		}
		l.log()
		rest = after
	}
}

// flush logs a line without an end.
func (l *lines) flush() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.log()
}

func (l *lines) log() {
	line := bytes.TrimSpace(l.partial)
	l.partial = l.partial[:0]
	if len(line) == 0 {
		return
	}
	record, ok := parse(line)
	if !ok {
		record = slog.NewRecord(time.Now(), slog.LevelWarn, "a child process printed a line", 0)
		record.AddAttrs(slog.String("line", string(line)))
	}
	if handler := l.logger.Handler(); handler.Enabled(context.Background(), record.Level) {
		_ = handler.Handle(context.Background(), record) // as slog's own Logger does
	}
}

// parse reads a line of slog's JSON handler.
func parse(line []byte) (slog.Record, bool) {
	var fields map[string]any
	decoder := json.NewDecoder(bytes.NewReader(line))
	decoder.UseNumber() // numbers stay as they were written
	if !json.Valid(line) || decoder.Decode(&fields) != nil {
		return slog.Record{}, false
	}
	message, spoken := fields[slog.MessageKey].(string)
	levelText, _ := fields[slog.LevelKey].(string)
	at, _ := fields[slog.TimeKey].(string)
	var level slog.Level
	when, err := time.Parse(time.RFC3339Nano, at)
	if !spoken || err != nil || level.UnmarshalText([]byte(levelText)) != nil {
		return slog.Record{}, false
	}
	record := slog.NewRecord(when, level, message, 0)
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		if name != slog.MessageKey && name != slog.LevelKey && name != slog.TimeKey {
			record.AddAttrs(attribute(name, fields[name]))
		}
	}
	return record, true
}

// attribute returns an attribute of a line. An object is a group.
func attribute(name string, value any) slog.Attr {
	object, ok := value.(map[string]any)
	if !ok {
		return slog.Any(name, value)
	}
	group := make([]slog.Attr, 0, len(object))
	for _, key := range slices.Sorted(maps.Keys(object)) {
		group = append(group, attribute(key, object[key]))
	}
	return slog.GroupAttrs(name, group...)
}
