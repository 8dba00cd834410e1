package telemetry

import "context"

type readsKey struct{}

// WithReads returns a context whose statements report the bytes that they
// receive from the database, as they arrive. Count may be called concurrently.
func WithReads(ctx context.Context, count func(bytes int)) context.Context {
	return context.WithValue(ctx, readsKey{}, count)
}

// Reads returns the function of WithReads, nil without one.
func Reads(ctx context.Context) func(bytes int) {
	count, _ := ctx.Value(readsKey{}).(func(int))
	return count
}
