package privacy

import (
	"time"

	"astrolabe/domain"
	"astrolabe/domain/privacy"
	"astrolabe/graph/scalar"
	"astrolabe/starknet"
)

// WalletBucket counts the wallets that set their first viewing key in a bucket.
type WalletBucket struct {
	BucketStartIso                                    time.Time
	NewViewingKeyWallets, CumulativeViewingKeyWallets uint64
	LatestBlockNumber                                 *uint64
}

func walletBucket(b privacy.Bucket) WalletBucket {
	return WalletBucket{unix(b.Start), b.Wallets, b.WalletsSum, b.Latest}
}

// MetricBucket counts the events of a bucket.
type MetricBucket struct {
	WalletBucket
	VisibleDeposits, VisibleWithdrawals, NoteUsedEvents uint64
}

// MetricBuckets makes the objects of buckets.
func MetricBuckets(buckets []privacy.Bucket) []MetricBucket {
	return each(buckets, func(b privacy.Bucket) MetricBucket {
		return MetricBucket{walletBucket(b), b.Deposits, b.Withdrawals, b.NotesUsed}
	})
}

// MetricSeries are the metrics of the pools of a chain over time.
type MetricSeries struct {
	Range                string
	BucketGranularity    scalar.Enum
	WalletSeries         []WalletBucket
	ShieldedSupplySeries []SupplyBucket
	PrivacyFeeSeries     []FeeBucket
	TokensTruncated      bool
}

// SupplyBucket is what flowed of a token in a bucket.
type SupplyBucket struct {
	BucketStartIso                                time.Time
	TokenAddress                                  starknet.Felt
	DepositedRaw, WithdrawnRaw, ShieldedSupplyRaw domain.Amount
	LatestBlockNumber                             *uint64
}

// FeeBucket is what pools charged of a token in a bucket.
type FeeBucket struct {
	BucketStartIso                       time.Time
	TokenAddress                         starknet.Felt
	FeeAmountRaw, CumulativeFeeAmountRaw domain.Amount
	FeeTransferCount                     uint64
	LatestBlockNumber                    *uint64
}

// SeriesOf makes the object of series.
func SeriesOf(r privacy.Range, w privacy.Width, s privacy.Series) *MetricSeries {
	return &MetricSeries{
		Range: string(r), BucketGranularity: scalar.Enum(w), TokensTruncated: s.TokensTruncated,
		WalletSeries: each(s.Wallets, walletBucket),
		ShieldedSupplySeries: each(s.Supply, func(b privacy.SupplyBucket) SupplyBucket {
			return SupplyBucket{unix(b.Start), b.Token, amount(b.Deposited), amount(b.Withdrawn), b.Supply, b.Latest}
		}),
		PrivacyFeeSeries: each(s.Fees, func(b privacy.FeeBucket) FeeBucket {
			return FeeBucket{unix(b.Start), b.Token, amount(b.Amount), amount(b.Sum), b.Transfers, b.Latest}
		}),
	}
}

// each converts the items of a list.
func each[A, B any](list []A, into func(A) B) []B {
	out := make([]B, len(list))
	for i, item := range list {
		out[i] = into(item)
	}
	return out
}
