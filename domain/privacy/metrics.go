package privacy

import (
	"context"

	"astrolabe/domain"
	"astrolabe/starknet"
)

// BucketSpan is a stretch of buckets of one width, by the starts of the first
// and the last one.
type BucketSpan struct {
	Width       Width
	First, Last uint64
}

// SpanOf chooses a span of the buckets of a ledger, and reports whether it has
// any.
type SpanOf func(*LedgerView) (BucketSpan, bool)

// spanOf chooses the newest buckets of a width, at most so many; zero means all.
// The last one is that of the ledger's block, the first possible one that of the
// first event.
func spanOf(w Width, most uint64) SpanOf {
	return func(v *LedgerView) (BucketSpan, bool) {
		if v.empty() || v.FirstTimestamp == nil {
			return BucketSpan{}, false
		}
		span := BucketSpan{w, w.Start(*v.FirstTimestamp), w.Start(v.Through.Timestamp)}
		if length := most * w.seconds(); most > 0 && span.Last >= length {
			span.First = max(span.First, w.Start(span.Last-length+w.seconds()))
		}
		return span, true
	}
}

// seconds returns the length of a bucket.
func (w Width) seconds() uint64 {
	switch w {
	case Day:
		return daySeconds
	case Week:
		return weekSeconds
	default:
		return hourSeconds
	}
}

// StoredBucket is a bucket in which something happened.
type StoredBucket struct {
	Start uint64
	LedgerBucket
}

// Bucket counts the finalized events of a bucket.
type Bucket struct {
	Start uint64
	LedgerBucket
	Latest *uint64 // the block of the newest event; nil without events
}

// DailyBuckets returns the newest days of a chain, at most so many, from the
// oldest: each day from that of the first event to that of the ledger's block.
func (p *Prepared) DailyBuckets(ctx context.Context, c domain.Chain, most int) ([]Bucket, error) {
	span, stored, err := p.store.Buckets(ctx, c, spanOf(Day, uint64(most)))
	if err != nil {
		return nil, err
	}
	return span.buckets(stored), nil
}

// buckets returns every bucket of the span: nothing happened in those that are
// not stored.
func (s BucketSpan) buckets(stored []StoredBucket) []Bucket {
	return fill(s, stored, func(b StoredBucket) uint64 { return b.Start },
		func(b StoredBucket) Bucket { return Bucket{b.Start, b.LedgerBucket, new(b.Block)} },
		func(start uint64, before *StoredBucket) (b Bucket, ok bool) {
			b.Start = start
			if before != nil {
				b.WalletsSum = before.WalletsSum
			}
			return b, true
		})
}

// fill makes a list of all buckets of a span from the stored ones, which may
// begin before it. A bucket that is not stored follows from the newest stored one
// before it, if there is any.
func fill[S, B any](span BucketSpan, stored []S, start func(S) uint64, present func(S) B, absent func(start uint64, before *S) (B, bool)) []B {
	list := []B{}
	if span.Width == "" {
		return list
	}
	var before *S
	next := 0
	for at := span.First; at <= span.Last; at = span.Width.Start(at + span.Width.seconds()) {
		for next < len(stored) && start(stored[next]) < at {
			before, next = &stored[next], next+1
		}
		if next < len(stored) && start(stored[next]) == at {
			list = append(list, present(stored[next]))
		} else if b, ok := absent(at, before); ok {
			list = append(list, b)
		}
	}
	return list
}

// StoredFlow is a bucket in which a token flowed.
type StoredFlow struct {
	Start uint64
	LedgerBucketFlow
}

// StoredFee is a bucket in which pools charged fees.
type StoredFee struct {
	Start uint64
	LedgerBucketFee
}

// StoredSeries is the stored buckets of a span.
type StoredSeries struct {
	Span      BucketSpan
	Buckets   []StoredBucket
	Flows     map[starknet.Felt][]StoredFlow
	Fees      map[starknet.Felt][]StoredFee
	Truncated bool // more tokens flowed than there are flows of
}
