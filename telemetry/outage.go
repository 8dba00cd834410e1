package telemetry

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"
)

// Outage logs a failure that lasts: one line when it begins, at most one a minute
// with the number of failures since the last line, and one when it ends. One that
// begins again within a minute continues the count, so that a failure that comes
// and goes does not fill the log either.
type Outage struct {
	// Logger logs the lines.
	Logger *slog.Logger
	// Lost and Back are the messages at the beginning and at the end.
	Lost, Back string
	// Text returns the text of an error for the log; nil means its own.
	Text func(error) string
	// Reported reports whether another outage already reports an error; nil means
	// that none does. Such an error does not begin this outage.
	Reported func(error) bool

	mu       sync.Mutex
	since    time.Time // of the current outage; zero if there is none
	logged   time.Time // the last line about a failure
	failures int       // since that line
	begun    bool      // the log says that the current outage began
}

// Failed reports a failure.
func (o *Outage) Failed(err error) {
	if o.Reported != nil && o.Reported(err) {
		o.Logger.Warn(o.Lost, "error", err) // which that outage counts
		return
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	now := time.Now()
	if o.since.IsZero() {
		o.since = now
	}
	o.failures++
	if now.Sub(o.logged) < repeatAfter {
		return
	}
	o.Logger.Warn(o.Lost, "since", o.since.UTC().Truncate(time.Second), "failures", o.failures, "error", o.text(err))
	o.logged, o.failures, o.begun = now, 0, true
}

// text returns the text of an error, or the error itself, so that a handler
// recognises it.
func (o *Outage) text(err error) any {
	if o.Text == nil {
		return err
	}
	return o.Text(err)
}

// Over reports a success, which ends an outage.
func (o *Outage) Over() {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.begun {
		o.Logger.Info(o.Back, "after", time.Since(o.since).Round(time.Second), "failures", o.failures)
		o.failures = 0
	}
	o.since, o.begun = time.Time{}, false
}

// Lasts reports whether there is an outage now.
func (o *Outage) Lasts() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return !o.since.IsZero()
}

// Absorb returns a logger that passes failures which this outage causes to Failed
// instead of logging each. It recognises them by the attribute error, and the lines
// of the same outage in a child process by their message. Records below the level
// info are always logged.
func (o *Outage) Absorb(logger *slog.Logger, caused func(error) bool) *slog.Logger {
	return slog.New(absorber{logger.Handler(), o, caused})
}

type absorber struct {
	slog.Handler
	outage *Outage
	caused func(error) bool
}

// Handle implements slog.Handler.
func (a absorber) Handle(ctx context.Context, record slog.Record) error {
	failure := ErrorOf(record)
	switch {
	case record.Level < slog.LevelInfo:
	case record.Message == a.outage.Back:
		return nil
	case failure != nil && (record.Message == a.outage.Lost || a.caused(failure)):
		a.outage.Failed(failure)
		return nil
	}
	return a.Handler.Handle(ctx, record)
}

// ErrorOf returns the attribute error of a record; nil if it has none. A child
// process passes it on as text.
func ErrorOf(record slog.Record) (found error) {
	record.Attrs(func(attr slog.Attr) bool {
		if attr.Key != "error" {
			return true
		}
		switch value := attr.Value.Any().(type) {
		case error:
			found = value
		case string:
			found = errors.New(value)
		}
		return false
	})
	return found
}

// WithAttrs implements slog.Handler.
func (a absorber) WithAttrs(attrs []slog.Attr) slog.Handler {
	return absorber{a.Handler.WithAttrs(attrs), a.outage, a.caused}
}

// WithGroup implements slog.Handler.
func (a absorber) WithGroup(name string) slog.Handler {
	return absorber{a.Handler.WithGroup(name), a.outage, a.caused}
}
