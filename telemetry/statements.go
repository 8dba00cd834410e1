package telemetry

import (
	"context"
	"sync/atomic"
)

// StatementCount counts the statements of a context, so that tests and callers
// can check that a read does not need one statement per row.
type StatementCount struct{ n, trips atomic.Int64 }

// N returns the number of statements so far; it is 0 for nil.
func (c *StatementCount) N() int {
	if c == nil {
		return 0
	}
	return int(c.n.Load())
}

// Trips returns the number of round trips; one can carry several statements.
func (c *StatementCount) Trips() int { return int(c.trips.Load()) }

type statementsKey struct{}

// CountStatements returns a context whose statements are counted.
func CountStatements(ctx context.Context) (context.Context, *StatementCount) {
	count := new(StatementCount)
	return context.WithValue(ctx, statementsKey{}, count), count
}

// CountStatement counts one statement if ctx comes from CountStatements.
func CountStatement(ctx context.Context) {
	if count, ok := ctx.Value(statementsKey{}).(*StatementCount); ok {
		count.n.Add(1)
	}
}

// CountTrip counts one round trip with one or more statements.
func CountTrip(ctx context.Context) {
	if count, ok := ctx.Value(statementsKey{}).(*StatementCount); ok {
		count.trips.Add(1)
	}
}
