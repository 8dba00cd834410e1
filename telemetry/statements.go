package telemetry

import (
	"context"
	"sync/atomic"
)

// StatementCount counts the statements that a context has run, so that tests
// and callers can see that a read does not cost one statement per row.
type StatementCount struct{ n, trips atomic.Int64 }

// N returns the count so far; nothing counts as zero.
func (c *StatementCount) N() int {
	if c == nil {
		return 0
	}
	return int(c.n.Load())
}

// Trips returns how often statements were sent, one or several at once.
func (c *StatementCount) Trips() int { return int(c.trips.Load()) }

type statementsKey struct{}

// CountStatements returns a context whose statements are counted.
func CountStatements(ctx context.Context) (context.Context, *StatementCount) {
	count := new(StatementCount)
	return context.WithValue(ctx, statementsKey{}, count), count
}

// CountStatement counts one statement where somebody wants to know.
func CountStatement(ctx context.Context) {
	if count, ok := ctx.Value(statementsKey{}).(*StatementCount); ok {
		count.n.Add(1)
	}
}

// CountTrip counts that one statement, or several, were sent at once.
func CountTrip(ctx context.Context) {
	if count, ok := ctx.Value(statementsKey{}).(*StatementCount); ok {
		count.trips.Add(1)
	}
}
