package graph

import (
	"context"
	"fmt"
	"io"
	"sync/atomic"
	"time"

	"github.com/99designs/gqlgen/graphql"

	"astrolabe/domain"
	"astrolabe/graph/limits"
	"astrolabe/telemetry"
)

// busyRetry is the Retry-After of an operation that a busy server ended.
const busyRetry = 2 * time.Second

// meter counts what an operation builds, value by value, before it is rendered:
// its cost, the bytes of its result and the memory that they take. It ends the
// execution when one of them passes its limit.
type meter struct {
	ctx    context.Context // of the execution
	stop   context.CancelCauseFunc
	limits *limits.Limits
	prices prices
	memory *reservation

	cost, bytes atomic.Int64
}

type meterKey struct{}

// withMeter returns the context of one result, which the meter ends.
func withMeter(ctx context.Context, l *limits.Limits, p prices, r *reservation) (context.Context, *meter) {
	m := &meter{limits: l, prices: p, memory: r}
	m.ctx, m.stop = context.WithCancelCause(telemetry.WithReads(context.WithValue(ctx, meterKey{}, m), m.read))
	return m.ctx, m
}

func meterOf(ctx context.Context) *meter {
	m, _ := ctx.Value(meterKey{}).(*meter)
	return m
}

// over reports whether the execution has ended, early or not.
func (m *meter) over() bool { return m != nil && m.ctx.Err() != nil }

// ended returns why the execution ended early, else nil: a limit was passed, the
// time is over, or the client has left.
func (m *meter) ended() error {
	if !m.over() {
		return nil
	}
	return context.Cause(m.ctx)
}

// count counts a value. It reports whether the execution goes on.
func (m *meter) count(cost, bytes int) bool {
	total, size := m.cost.Add(int64(cost)), m.bytes.Add(int64(bytes))
	err := error(nil)
	switch {
	case size > int64(m.limits.ResponseBytes):
		err = tooLarge(*m.limits, int(size))
	case total > int64(m.limits.Cost):
		err = limits.CheckCost(m.limits.Cost, int(total), "The operation costs at least %d points; the limit is %d (cost).")
	default:
		err = m.memory.use(memoryPerValue + memoryPerByte*int64(bytes))
	}
	if err != nil {
		m.stop(err)
	}
	return err == nil
}

// countDraw counts the price of the field that has drawn on its REST class, for
// as many requests, except for the 1 that each of them costs when it returns a
// value or an error. So a field that fails keeps the price of the work that was
// done for it, and one that was denied or shares a read costs no more than 1.
func countDraw(ctx context.Context, requests int) {
	if m := meterOf(ctx); m != nil {
		m.count(requests*(m.prices.of(graphql.GetFieldContext(ctx).Field.Definition)-1), 0)
	}
}

// read counts what arrives from the database.
func (m *meter) read(bytes int) {
	if err := m.memory.use(memoryPerRead * int64(bytes)); err != nil {
		m.stop(err)
	}
}

func tooLarge(l limits.Limits, size int) error {
	return limits.Exceed(domain.CodePayloadTooLarge, limits.Response, l.ResponseBytes, size, fmt.Sprintf(
		"The result has %d bytes or more; the limit is %d (%s). Request fewer items or fields.", size, l.ResponseBytes, limits.Response))
}

// metering is the extension that counts every field. After the execution was
// ended no further field is resolved, and none adds an error: the operation has
// the one of its end.
type metering struct{}

// ExtensionName implements graphql.HandlerExtension.
func (metering) ExtensionName() string { return "Metering" }

// Validate implements graphql.HandlerExtension.
func (metering) Validate(graphql.ExecutableSchema) error { return nil }

// InterceptField resolves and counts a field.
func (metering) InterceptField(ctx context.Context, next graphql.Resolver) (any, error) {
	m := meterOf(ctx)
	if m == nil {
		return next(ctx)
	}
	if m.over() {
		return graphql.Null, nil
	}
	value, err := next(ctx)
	if err != nil {
		return value, err
	}
	field := graphql.GetFieldContext(ctx).Field
	size := sizeOf(value)
	if !m.count(1+namePoints(field.Alias)+size.points(), size.bytes+len(field.Alias)+len(`"":,`)) {
		return graphql.Null, nil
	}
	return value, nil
}

// errorBytes is about the size of an error in a response.
const errorBytes = 400

// InterceptRootField drops what was built for a result that nobody gets, so that
// it is not encoded, also when the execution ends after this field was built.
func (metering) InterceptRootField(ctx context.Context, next graphql.RootResolver) graphql.Marshaler {
	m := meterOf(ctx)
	if m.over() {
		return graphql.Null
	}
	result := next(ctx)
	if m == nil {
		return result
	}
	return graphql.WriterFunc(func(w io.Writer) {
		if m.over() {
			result = graphql.Null
		}
		result.MarshalGQL(w)
	})
}
