package telemetry

import (
	"context"
	"log/slog"
	"sync"
	"time"
)

// repeatAfter is the pause between two equal warnings of a sparse logger.
const repeatAfter = time.Minute

// Sparse returns a logger that logs a warning or an error at most once a minute, so
// that an outage does not fill the log with its retries. Two are equal if their
// message and their attributes chain, reason, job and queue are. The first one after
// a pause says how many were left out.
func Sparse(logger *slog.Logger) *slog.Logger {
	return slog.New(sparse{Handler: logger.Handler(), seen: &seen{last: make(map[string]*repeated)}})
}

type sparse struct {
	slog.Handler
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
	key := record.Message
	record.Attrs(func(a slog.Attr) bool {
		switch a.Key {
		case "chain", "reason", "job", "queue":
			key += " " + a.Value.String()
		}
		return true
	})
	omitted, log := s.seen.again(key, record.Time)
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
func (s *seen) again(key string, at time.Time) (omitted int, log bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.last) >= mostSeen {
		clear(s.last)
	}
	last := s.last[key]
	if last != nil && at.Sub(last.at) < repeatAfter {
		last.count++
		return 0, false
	}
	if last != nil {
		omitted = last.count
	}
	s.last[key] = &repeated{at: at}
	return omitted, true
}

// WithAttrs implements slog.Handler.
func (s sparse) WithAttrs(attrs []slog.Attr) slog.Handler {
	return sparse{s.Handler.WithAttrs(attrs), s.seen}
}

// WithGroup implements slog.Handler.
func (s sparse) WithGroup(name string) slog.Handler { return sparse{s.Handler.WithGroup(name), s.seen} }
