package repo

import (
	"context"
	"errors"
	"net"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"go.opentelemetry.io/otel/codes"
	semconv "go.opentelemetry.io/otel/semconv/v1.43.0"
	"go.opentelemetry.io/otel/trace"

	"astrolabe/telemetry"
)

// StatementName returns the name in a statement's leading comment: ours (/*
// noun.act */) or the job queue's (-- name: Act :kind).
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

// statementTracer measures and traces every statement that reaches the pool,
// whether through bun, pgx or the job queue.
type statementTracer struct {
	metrics *telemetry.Metrics // nil without metrics
	spans   trace.Tracer       // nil without tracing
}

func newStatementTracer(o Options) statementTracer {
	t := statementTracer{metrics: o.Metrics}
	if o.Tracing != nil {
		t.spans = o.Tracing.Provider().Tracer("astrolabe/repo")
	}
	return t
}

// startedStatement is a statement that is still running.
type startedStatement struct {
	name string
	at   time.Time
	span trace.Span // nil without tracing
}

type startedKey struct{}

// TraceQueryStart implements pgx.QueryTracer.
func (t statementTracer) TraceQueryStart(ctx context.Context, conn *pgx.Conn, data pgx.TraceQueryStartData) context.Context {
	begin(ctx, socketOf(conn))
	telemetry.CountStatement(ctx)
	telemetry.CountTrip(ctx)
	started := t.start(ctx, StatementName(data.SQL), time.Now())
	return context.WithValue(ctx, startedKey{}, started)
}

// TraceQueryEnd implements pgx.QueryTracer.
func (t statementTracer) TraceQueryEnd(ctx context.Context, conn *pgx.Conn, data pgx.TraceQueryEndData) {
	finish(socketOf(conn))
	if started, ok := ctx.Value(startedKey{}).(startedStatement); ok {
		t.end(started, data.Err, time.Now())
	}
}

type startedBatch struct{ at *time.Time }

type startedBatchKey struct{}

// TraceBatchStart implements pgx.BatchTracer.
func (t statementTracer) TraceBatchStart(ctx context.Context, conn *pgx.Conn, _ pgx.TraceBatchStartData) context.Context {
	begin(ctx, socketOf(conn))
	telemetry.CountTrip(ctx)
	return context.WithValue(ctx, startedBatchKey{}, startedBatch{new(time.Now())})
}

// TraceBatchQuery implements pgx.BatchTracer. A statement's duration counts
// from the previous result of the batch.
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
func (t statementTracer) TraceBatchEnd(_ context.Context, conn *pgx.Conn, _ pgx.TraceBatchEndData) {
	finish(socketOf(conn))
}

func (t statementTracer) start(ctx context.Context, name string, at time.Time) startedStatement {
	started := startedStatement{name: name, at: at}
	if t.spans != nil {
		_, started.span = t.spans.Start(ctx, name, trace.WithSpanKind(trace.SpanKindClient), trace.WithTimestamp(at),
			trace.WithAttributes(semconv.DBSystemNamePostgreSQL, semconv.DBQuerySummary(name)))
	}
	return started
}

// end records a statement's duration and ends its span. A result without rows
// is not an error.
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

// socketOf returns the network connection of a driver's, nil without one.
func socketOf(conn *pgx.Conn) net.Conn {
	if conn == nil {
		return nil
	}
	return conn.PgConn().Conn()
}
