package access

import (
	"context"

	"astrolabe/domain"
	"astrolabe/domain/account"
)

// Record collects what usage accounting needs to know about a request.
type Record struct {
	Caller *account.Caller // nil until the caller is authenticated
	Class  account.Class   // the class of the route, also of a refused request
	Code   domain.Code     // of the error; empty on success
}

// Use returns the usage entry of the request, without its route and outcome.
func (r *Record) Use() account.Use {
	use := account.UseBy(r.Caller)
	use.Class, use.Code = r.Class, r.Code
	return use
}

type recordKey struct{}

// WithRecord returns a context with a new record.
func WithRecord(ctx context.Context) (context.Context, *Record) {
	record := new(Record)
	return context.WithValue(ctx, recordKey{}, record), record
}

// RecordOf returns the record of the request, or a discarded one outside of a
// request.
func RecordOf(ctx context.Context) *Record {
	if record, ok := ctx.Value(recordKey{}).(*Record); ok {
		return record
	}
	return new(Record)
}
