package repo

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

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

// statementTracer measures every statement, whichever way it reaches the pool.
type statementTracer struct{ metrics *telemetry.Metrics }

type startedStatement struct {
	name string
	at   time.Time
	span *telemetry.Span
}

type startedKey struct{}

// TraceQueryStart implements pgx.QueryTracer.
func (t statementTracer) TraceQueryStart(ctx context.Context, _ *pgx.Conn, data pgx.TraceQueryStartData) context.Context {
	telemetry.CountStatement(ctx)
	telemetry.CountTrip(ctx)
	name := StatementName(data.SQL)
	ctx, span := telemetry.StartSpan(ctx, name, telemetry.ClientSpan)
	return context.WithValue(ctx, startedKey{}, startedStatement{name, time.Now(), span})
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
	if !ok || t.metrics == nil {
		return
	}
	now := time.Now()
	t.metrics.Statement(statementLabel(StatementName(data.SQL)), data.Err, now.Sub(*started.at))
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
		started.span.Fail()
	}
	started.span.End()
	if t.metrics != nil {
		t.metrics.Statement(statementLabel(started.name), failure, time.Since(started.at))
	}
}
