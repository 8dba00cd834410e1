package telemetry

import (
	"context"
	"sync"
	"time"
)

// SpanKind tells from which side a span sees its work, by OTLP's numbers.
type SpanKind int

// The kinds of spans that this program has.
const (
	ServerSpan SpanKind = 2 // answers a request
	ClientSpan SpanKind = 3 // asks another program
)

// Span is one piece of work in a trace, from its start to End. All methods of
// a nil span do nothing: that is the span of what is not traced.
type Span struct {
	kind    SpanKind
	place   place
	parent  spanID // zero for the first span of a trace
	started time.Time
	to      *exporter

	mu     sync.Mutex
	name   string
	failed bool
}

type placeKey struct{}

// StartSpan begins a span that is part of the span in ctx, or the first of a
// new trace.
func StartSpan(ctx context.Context, name string, kind SpanKind) (context.Context, *Span) {
	to := tracing.Load()
	if to == nil {
		return ctx, nil
	}
	within, known := ctx.Value(placeKey{}).(place)
	if !known {
		within = place{trace: newTraceID(), sampled: true}
	}
	if !within.sampled {
		return ctx, nil
	}
	at := place{trace: within.trace, span: newSpanID(), sampled: true}
	span := &Span{kind: kind, place: at, parent: within.span, started: time.Now(), to: to, name: name}
	return context.WithValue(ctx, placeKey{}, at), span
}

// Rename gives the span a name that was not known at its start.
func (s *Span) Rename(name string) {
	if s == nil {
		return
	}
	s.mu.Lock()
	s.name = name
	s.mu.Unlock()
}

// Fail marks the work as failed. Why stays in the log.
func (s *Span) Fail() {
	if s == nil {
		return
	}
	s.mu.Lock()
	s.failed = true
	s.mu.Unlock()
}

// End ends the work. It is called once, and last.
func (s *Span) End() {
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.to.add(s.finished())
}
