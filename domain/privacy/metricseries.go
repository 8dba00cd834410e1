package privacy

import (
	"bytes"
	"cmp"
	"context"
	"slices"

	"astrolabe/domain"
	"astrolabe/starknet"
)

// Range is how far back a series goes from the ledger's block.
type Range string

// The ranges.
const (
	Range24h Range = "24h"
	Range7d  Range = "7d"
	Range30d Range = "30d"
	RangeAll Range = "all"
)

// MostTokens is how many tokens an answer covers that is not about one token.
const MostTokens = 100

// mostHours is how many hours a series has at most.
const mostHours = 720

// span chooses the buckets of the range. A last bucket that is not whole counts.
func (r Range) span(w Width) SpanOf {
	days := map[Range]uint64{Range24h: 1, Range7d: 7, Range30d: 30}[r]
	if r == RangeAll && w == Hour {
		return spanOf(w, mostHours)
	}
	return spanOf(w, (days*daySeconds+w.seconds()-1)/w.seconds())
}

// SupplyBucket is the flow of a token in a bucket.
type SupplyBucket struct {
	Start                uint64
	Token                starknet.Felt
	Deposited, Withdrawn starknet.Uint256
	Supply               domain.Amount // what flowed in minus what flowed out, up to the end of the bucket
	Latest               *uint64       // the block of the newest flow; nil without flows
}

// FeeBucket is what pools charged of a token in a bucket.
type FeeBucket struct {
	Start       uint64
	Token       starknet.Felt
	Amount, Sum starknet.Uint256 // the sum is up to the end of the bucket
	Transfers   uint64
	Latest      *uint64 // the block of the newest fee; nil without fees
}

// Series are the metrics of a chain over time, each from the oldest bucket, and
// within a bucket by token. The series of a token begins with its first bucket.
type Series struct {
	Wallets []Bucket
	Supply  []SupplyBucket
	Fees    []FeeBucket
	// TokensTruncated reports that more than MostTokens tokens flowed, so that
	// Supply has only those that flowed last.
	TokensTruncated bool
}

// Series returns the series of a range, for one token or for all of them.
func (p *Prepared) Series(ctx context.Context, c domain.Chain, r Range, w Width, token *starknet.Felt) (Series, error) {
	stored, err := p.store.Series(ctx, c, r.span(w), token, MostTokens)
	if err != nil {
		return Series{}, err
	}
	series := Series{Wallets: stored.Span.buckets(stored.Buckets), Supply: []SupplyBucket{}, Fees: []FeeBucket{}, TokensTruncated: stored.Truncated}
	for of, flows := range stored.Flows {
		series.Supply = append(series.Supply, stored.Span.supply(of, flows)...)
	}
	for of, fees := range stored.Fees {
		series.Fees = append(series.Fees, stored.Span.fees(of, fees)...)
	}
	slices.SortFunc(series.Supply, func(a, b SupplyBucket) int {
		return cmp.Or(cmp.Compare(a.Start, b.Start), bytes.Compare(a.Token[:], b.Token[:]))
	})
	slices.SortFunc(series.Fees, func(a, b FeeBucket) int {
		return cmp.Or(cmp.Compare(a.Start, b.Start), bytes.Compare(a.Token[:], b.Token[:]))
	})
	return series, nil
}

func (s BucketSpan) supply(of starknet.Felt, stored []StoredFlow) []SupplyBucket {
	net := func(f *StoredFlow) domain.Amount {
		return domain.AmountFromBig(f.DepositedSum.Big()).Sub(domain.AmountFromBig(f.WithdrawnSum.Big()))
	}
	return fill(s, stored, func(f StoredFlow) uint64 { return f.Start },
		func(f StoredFlow) SupplyBucket {
			return SupplyBucket{f.Start, of, f.Deposited, f.Withdrawn, net(&f), new(f.Block)}
		},
		func(start uint64, before *StoredFlow) (b SupplyBucket, ok bool) {
			if before == nil {
				return b, false
			}
			return SupplyBucket{Start: start, Token: of, Supply: net(before)}, true
		})
}

func (s BucketSpan) fees(of starknet.Felt, stored []StoredFee) []FeeBucket {
	return fill(s, stored, func(f StoredFee) uint64 { return f.Start },
		func(f StoredFee) FeeBucket {
			return FeeBucket{f.Start, of, f.Amount, f.AmountSum, f.Transfers, new(f.Block)}
		},
		func(start uint64, before *StoredFee) (b FeeBucket, ok bool) {
			if before == nil {
				return b, false
			}
			return FeeBucket{Start: start, Token: of, Sum: before.AmountSum}, true
		})
}
