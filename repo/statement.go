package repo

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"go.opentelemetry.io/otel/codes"
	semconv "go.opentelemetry.io/otel/semconv/v1.43.0"
	"go.opentelemetry.io/otel/trace"

	"astrolabe/telemetry"
)

// StatementName reads the name that a statement's leading comment gives it:
// ours (/* noun.act */), and the job queue's (-- name: Act :kind).
func StatementName(sql string) string {
	sql = strings.TrimLeft(sql, " \t\n")
	if name, ok := strings.CutPrefix(sql, "/* "); ok {
		if name, _, ok = strings.Cut(name, " */"); ok {
			return name
		}
	}
	if name, ok := strings.CutPrefix(sql, "-- name: "); ok {
		name, _, _ = strings.Cut(name, " ")
		return "queue." + name
	}
	return "unnamed"
}

// statementTracer measures every statement, whichever way it reaches the pool,
// and makes a span for it.
type statementTracer struct {
	metrics *telemetry.Metrics // nil: statements are not measured
	spans   trace.Tracer       // nil: statements have no spans
}

func newStatementTracer(o Options) statementTracer {
	t := statementTracer{metrics: o.Metrics}
	if o.Tracing != nil {
		t.spans = o.Tracing.Provider().Tracer("astrolabe/repo")
	}
	return t
}

// startedStatement is a statement that has no answer yet.
type startedStatement struct {
	name string
	at   time.Time
	span trace.Span // nil: it has none
}

type startedKey struct{}

// TraceQueryStart implements pgx.QueryTracer.
func (t statementTracer) TraceQueryStart(ctx context.Context, _ *pgx.Conn, data pgx.TraceQueryStartData) context.Context {
	telemetry.CountStatement(ctx)
	telemetry.CountTrip(ctx)
	started := t.start(ctx, StatementName(data.SQL), time.Now())
	return context.WithValue(ctx, startedKey{}, started)
}

// TraceQueryEnd implements pgx.QueryTracer.
func (t statementTracer) TraceQueryEnd(ctx context.Context, _ *pgx.Conn, data pgx.TraceQueryEndData) {
	if started, ok := ctx.Value(startedKey{}).(startedStatement); ok {
		t.end(started, data.Err, time.Now())
	}
}

type startedBatch struct{ at *time.Time }

type startedBatchKey struct{}

// TraceBatchStart implements pgx.BatchTracer.
func (t statementTracer) TraceBatchStart(ctx context.Context, _ *pgx.Conn, _ pgx.TraceBatchStartData) context.Context {
	telemetry.CountTrip(ctx)
	return context.WithValue(ctx, startedBatchKey{}, startedBatch{new(time.Now())})
}

// TraceBatchQuery implements pgx.BatchTracer. A statement's time is that since
// the answer before it.
func (t statementTracer) TraceBatchQuery(ctx context.Context, _ *pgx.Conn, data pgx.TraceBatchQueryData) {
	telemetry.CountStatement(ctx)
	started, ok := ctx.Value(startedBatchKey{}).(startedBatch)
	if !ok {
		return
	}
	now := time.Now()
	t.end(t.start(ctx, StatementName(data.SQL), *started.at), data.Err, now)
	*started.at = now
}

// TraceBatchEnd implements pgx.BatchTracer.
func (t statementTracer) TraceBatchEnd(context.Context, *pgx.Conn, pgx.TraceBatchEndData) {}

func (t statementTracer) start(ctx context.Context, name string, at time.Time) startedStatement {
	started := startedStatement{name: name, at: at}
	if t.spans != nil {
		_, started.span = t.spans.Start(ctx, name, trace.WithSpanKind(trace.SpanKindClient), trace.WithTimestamp(at),
			trace.WithAttributes(semconv.DBSystemNamePostgreSQL, semconv.DBQuerySummary(name)))
	}
	return started
}

// end measures a statement and ends its span. No rows are no failure.
func (t statementTracer) end(s startedStatement, failure error, at time.Time) {
	if errors.Is(failure, pgx.ErrNoRows) {
		failure = nil
	}
	if s.span != nil {
		if failure != nil {
			s.span.SetStatus(codes.Error, "") // the cause may quote arguments
		}
		s.span.End(trace.WithTimestamp(at))
	}
	if t.metrics != nil {
		t.metrics.Statement(statementLabel(s.name), failure, at.Sub(s.at))
	}
}
