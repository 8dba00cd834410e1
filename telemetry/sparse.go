package telemetry

import (
	"context"
	"log/slog"
	"sync"
	"time"
)

// repeatAfter is the pause between two equal warnings of a sparse logger.
const repeatAfter = time.Minute

// Sparse returns a logger that logs equal warnings and equal errors at most once a
// minute, so that an outage does not fill the log with its retries. Two are equal if
// kind returns the same text for them; those without one are always logged. The first
// one after a pause says how many were left out.
func Sparse(logger *slog.Logger, kind func(slog.Record) string) *slog.Logger {
	return slog.New(sparse{Handler: logger.Handler(), kind: kind, seen: &seen{last: make(map[string]*repeated)}})
}

// Kind is the kind of a record of a job: its message and its attributes chain, reason,
// job and queue.
func Kind(record slog.Record) string {
	kind := record.Message
	record.Attrs(func(a slog.Attr) bool {
		switch a.Key {
		case "chain", "reason", "job", "queue":
			kind += " " + a.Value.String()
		}
		return true
	})
	return kind
}

type sparse struct {
	slog.Handler
	kind func(slog.Record) string
	seen *seen
}

type seen struct {
	mu   sync.Mutex
	last map[string]*repeated
}

type repeated struct {
	at    time.Time
	count int // left out since
}

// mostSeen bounds the memory of messages.
const mostSeen = 1000

// Handle implements slog.Handler.
func (s sparse) Handle(ctx context.Context, record slog.Record) error {
	if record.Level < slog.LevelWarn {
		return s.Handler.Handle(ctx, record)
	}
	kind := s.kind(record)
	if kind == "" {
		return s.Handler.Handle(ctx, record)
	}
	omitted, log := s.seen.again(kind, record.Time)
	if !log {
		return nil
	}
	if omitted > 0 {
		record = record.Clone()
		record.AddAttrs(slog.Int("repeated", omitted))
	}
	return s.Handler.Handle(ctx, record)
}

// again reports whether a message is to be logged now, and how many were left out
// since it was logged last.
func (s *seen) again(kind string, at time.Time) (omitted int, log bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.last) >= mostSeen {
		clear(s.last)
	}
	last := s.last[kind]
	if last != nil && at.Sub(last.at) < repeatAfter {
		last.count++
		return 0, false
	}
	if last != nil {
		omitted = last.count
	}
	s.last[kind] = &repeated{at: at}
	return omitted, true
}

// WithAttrs implements slog.Handler.
func (s sparse) WithAttrs(attrs []slog.Attr) slog.Handler {
	return sparse{s.Handler.WithAttrs(attrs), s.kind, s.seen}
}

// WithGroup implements slog.Handler.
func (s sparse) WithGroup(name string) slog.Handler {
	return sparse{s.Handler.WithGroup(name), s.kind, s.seen}
}
