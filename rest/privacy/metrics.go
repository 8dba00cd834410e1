package privacy

import (
	"context"
	"time"

	"astrolabe/domain"
	"astrolabe/domain/privacy"
	"astrolabe/rest/frame"
	"astrolabe/starknet"
)

// MetricBucketsBody are the newest days of the pool.
type MetricBucketsBody struct {
	Envelope
	BucketGranularity privacy.Width  `json:"bucketGranularity"`
	Items             []MetricBucket `json:"items"`
	Caveat            string         `json:"caveat"`
}

// WalletBucket counts the wallets that set their first viewing key in a bucket.
type WalletBucket struct {
	BucketStartIso              time.Time `json:"bucketStartIso"`
	NewViewingKeyWallets        uint64    `json:"newViewingKeyWallets"`
	CumulativeViewingKeyWallets uint64    `json:"cumulativeViewingKeyWallets"`
	LatestBlockNumber           *uint64   `json:"latestBlockNumber"`
}

// MetricBucket counts the events of a bucket.
type MetricBucket struct {
	WalletBucket
	VisibleDeposits    uint64 `json:"visibleDeposits"`
	VisibleWithdrawals uint64 `json:"visibleWithdrawals"`
	NoteUsedEvents     uint64 `json:"noteUsedEvents"`
}

func walletBucket(b privacy.Bucket) WalletBucket {
	return WalletBucket{unix(b.Start), b.Wallets, b.WalletsSum, b.Latest}
}

func metricBucket(b privacy.Bucket) MetricBucket {
	return MetricBucket{walletBucket(b), b.Deposits, b.Withdrawals, b.NotesUsed}
}

func (h Handlers) metricBuckets(ctx context.Context, c *frame.Call) (any, error) {
	buckets, err := h.PrivacyPrepared.DailyBuckets(ctx, c.Chain, c.Int("limit"))
	if err != nil {
		return nil, err
	}
	return MetricBucketsBody{envelope(c), privacy.Day, frame.RenderAll(buckets, metricBucket), privacy.FlowCaveat}, nil
}

// MetricSeriesBody are the metrics of the pool over time.
type MetricSeriesBody struct {
	Envelope
	Range                privacy.Range  `json:"range"`
	BucketGranularity    privacy.Width  `json:"bucketGranularity"`
	WalletSeries         []WalletBucket `json:"walletSeries"`
	ShieldedSupplySeries []SupplyBucket `json:"shieldedSupplySeries"`
	PrivacyFeeSeries     []FeeBucket    `json:"privacyFeeSeries"`
	TokensTruncated      bool           `json:"tokensTruncated"`
	Caveat               string         `json:"caveat"`
}

// SupplyBucket is what flowed of a token in a bucket.
type SupplyBucket struct {
	BucketStartIso    time.Time     `json:"bucketStartIso"`
	TokenAddress      starknet.Felt `json:"tokenAddress"`
	DepositedRaw      string        `json:"depositedRaw"`
	WithdrawnRaw      string        `json:"withdrawnRaw"`
	ShieldedSupplyRaw domain.Amount `json:"shieldedSupplyRaw"`
	LatestBlockNumber *uint64       `json:"latestBlockNumber"`
}

// FeeBucket is what pools charged of a token in a bucket.
type FeeBucket struct {
	BucketStartIso         time.Time     `json:"bucketStartIso"`
	TokenAddress           starknet.Felt `json:"tokenAddress"`
	FeeAmountRaw           string        `json:"feeAmountRaw"`
	CumulativeFeeAmountRaw string        `json:"cumulativeFeeAmountRaw"`
	FeeTransferCount       uint64        `json:"feeTransferCount"`
	LatestBlockNumber      *uint64       `json:"latestBlockNumber"`
}

func supplyBucket(b privacy.SupplyBucket) SupplyBucket {
	return SupplyBucket{unix(b.Start), b.Token, b.Deposited.String(), b.Withdrawn.String(), b.Supply, b.Latest}
}

func feeBucket(b privacy.FeeBucket) FeeBucket {
	return FeeBucket{unix(b.Start), b.Token, b.Amount.String(), b.Sum.String(), b.Transfers, b.Latest}
}

func (h Handlers) metricSeries(ctx context.Context, c *frame.Call) (any, error) {
	var token *starknet.Felt
	if c.Given("token") {
		token = new(c.Felt("token"))
	}
	of, width := privacy.Range(c.Text("range")), privacy.Width(c.Text("granularity"))
	series, err := h.PrivacyPrepared.Series(ctx, c.Chain, of, width, token)
	if err != nil {
		return nil, err
	}
	return MetricSeriesBody{
		Envelope: envelope(c), Range: of, BucketGranularity: width, WalletSeries: frame.RenderAll(series.Wallets, walletBucket),
		ShieldedSupplySeries: frame.RenderAll(series.Supply, supplyBucket), PrivacyFeeSeries: frame.RenderAll(series.Fees, feeBucket),
		TokensTruncated: series.TokensTruncated, Caveat: privacy.FlowCaveat,
	}, nil
}
