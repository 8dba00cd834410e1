package repo

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"

	"astrolabe/telemetry"
)

// statementName reads the name that a statement's leading comment gives it:
// ours (/* noun.act */), and the job queue's (-- name: Act :kind).
func statementName(sql string) string {
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

// StatementCount counts the statements that a context has run, so that tests
// and diagnostics can show that a read does not cost one statement per row.
type StatementCount struct{ n, trips atomic.Int64 }

// N returns the count so far.
func (c *StatementCount) N() int { return int(c.n.Load()) }

// Trips returns how often statements were sent, one or several at once.
func (c *StatementCount) Trips() int { return int(c.trips.Load()) }

type countKey struct{}

// CountStatements returns a context whose statements are counted.
func CountStatements(ctx context.Context) (context.Context, *StatementCount) {
	count := new(StatementCount)
	return context.WithValue(ctx, countKey{}, count), count
}

// statementTracer measures every statement, whichever way it reaches the pool.
type statementTracer struct{ metrics *telemetry.Metrics }

type startedStatement struct {
	name string
	at   time.Time
	span trace.Span
}

type startedKey struct{}

// TraceQueryStart implements pgx.QueryTracer.
func (t statementTracer) TraceQueryStart(ctx context.Context, _ *pgx.Conn, data pgx.TraceQueryStartData) context.Context {
	if count, ok := ctx.Value(countKey{}).(*StatementCount); ok {
		count.n.Add(1)
		count.trips.Add(1)
	}
	name := statementName(data.SQL)
	ctx, span := telemetry.StartSpan(ctx, name, trace.SpanKindClient)
	return context.WithValue(ctx, startedKey{}, startedStatement{name, time.Now(), span})
}

type startedBatch struct{ at *time.Time }

type startedBatchKey struct{}

// TraceBatchStart implements pgx.BatchTracer.
func (t statementTracer) TraceBatchStart(ctx context.Context, _ *pgx.Conn, _ pgx.TraceBatchStartData) context.Context {
	if count, ok := ctx.Value(countKey{}).(*StatementCount); ok {
		count.trips.Add(1)
	}
	return context.WithValue(ctx, startedBatchKey{}, startedBatch{new(time.Now())})
}

// TraceBatchQuery implements pgx.BatchTracer. A statement's time is that since
// the answer before it.
func (t statementTracer) TraceBatchQuery(ctx context.Context, _ *pgx.Conn, data pgx.TraceBatchQueryData) {
	if count, ok := ctx.Value(countKey{}).(*StatementCount); ok {
		count.n.Add(1)
	}
	started, ok := ctx.Value(startedBatchKey{}).(startedBatch)
	if !ok || t.metrics == nil {
		return
	}
	now := time.Now()
	t.metrics.Statement(statementName(data.SQL), data.Err, now.Sub(*started.at))
	*started.at = now
}

// TraceBatchEnd implements pgx.BatchTracer.
func (t statementTracer) TraceBatchEnd(context.Context, *pgx.Conn, pgx.TraceBatchEndData) {}

// TraceQueryEnd implements pgx.QueryTracer.
func (t statementTracer) TraceQueryEnd(ctx context.Context, _ *pgx.Conn, data pgx.TraceQueryEndData) {
	started, ok := ctx.Value(startedKey{}).(startedStatement)
	if !ok {
		return
	}
	failure := data.Err
	if errors.Is(failure, pgx.ErrNoRows) {
		failure = nil
	}
	if failure != nil {
		started.span.SetStatus(codes.Error, "statement failed")
	}
	started.span.End()
	if t.metrics != nil {
		t.metrics.Statement(started.name, failure, time.Since(started.at))
	}
}
