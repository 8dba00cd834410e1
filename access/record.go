package access

import (
	"context"

	"astrolabe/domain"
	"astrolabe/domain/account"
)

// Record is what is learnt about a request while it is answered, for whoever
// accounts for it afterwards.
type Record struct {
	Caller *account.Caller // nil while nobody was recognised
	Class  account.Class   // what was charged
	Code   domain.Code     // of the failure; empty on success
}

// Use begins what is noted of the request's use.
func (r *Record) Use() account.Use {
	use := account.UseBy(r.Caller)
	use.Class, use.Code = r.Class, r.Code
	return use
}

type recordKey struct{}

// WithRecord returns a context in which a request's record is kept.
func WithRecord(ctx context.Context) (context.Context, *Record) {
	record := new(Record)
	return context.WithValue(ctx, recordKey{}, record), record
}

// RecordOf returns the request's record. Outside of a request it is one that
// nobody reads.
func RecordOf(ctx context.Context) *Record {
	if record, ok := ctx.Value(recordKey{}).(*Record); ok {
		return record
	}
	return new(Record)
}
