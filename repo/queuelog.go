package repo

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync/atomic"
)

// queueLog logs the warnings of River in our own words, except the cancellations
// that our own shutdown causes.
type queueLog struct {
	slog.Handler
	stopping *atomic.Bool
}

// Enabled implements slog.Handler.
func (l queueLog) Enabled(ctx context.Context, level slog.Level) bool {
	return level >= slog.LevelWarn && !l.stopping.Load() && l.Handler.Enabled(ctx, level)
}

// Handle implements slog.Handler. What River says is the reason. Its error becomes
// an error again, which says whether the database is unreachable.
func (l queueLog) Handle(ctx context.Context, record slog.Record) error {
	ours := slog.NewRecord(record.Time, record.Level, "the job queue reports a problem", record.PC)
	ours.AddAttrs(slog.String("reason", record.Message))
	record.Attrs(func(attr slog.Attr) bool {
		if attr.Key == "err" || attr.Key == "error" {
			attr = slog.Any("error", riverError(attr.Value))
		}
		ours.AddAttrs(attr)
		return true
	})
	if gaveUp(record.Message) {
		ours.AddAttrs(slog.Any("error", ErrQueueGaveUp))
	}
	return l.Handler.Handle(ctx, ours)
}

// ErrQueueGaveUp is the error of a part of the queue that failed too often. During
// an outage of the database, that is the cause.
var ErrQueueGaveUp = errors.New("the job queue gave up after repeated errors")

// gaveUp reports whether a message of River, which has no error, says so.
func gaveUp(message string) bool {
	return strings.Contains(message, "giving up") || strings.Contains(message, "stepping down")
}

// errConnection says in plain words what River's text of an error means.
var errConnection = errors.New("the server does not accept connections, or closed one")

// riverError returns the error that River logs, which often is only its text.
func riverError(value slog.Value) error {
	if err, ok := value.Any().(error); ok {
		return Outage(err)
	}
	text := value.String()
	for _, sign := range []string{"failed to connect", "conn closed", "closed pool", "unexpected EOF", "connection reset", "broken pipe", "(SQLSTATE 08", "(SQLSTATE 57P"} {
		if strings.Contains(text, sign) {
			return Unavailable(errConnection)
		}
	}
	return errors.New(text)
}

// WithAttrs implements slog.Handler.
func (l queueLog) WithAttrs(attrs []slog.Attr) slog.Handler {
	return queueLog{l.Handler.WithAttrs(attrs), l.stopping}
}

// WithGroup implements slog.Handler.
func (l queueLog) WithGroup(name string) slog.Handler {
	return queueLog{l.Handler.WithGroup(name), l.stopping}
}
