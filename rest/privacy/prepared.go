package privacy

import (
	"context"
	"net/http"
	"time"

	"astrolabe/domain/account"
	"astrolabe/domain/privacy"
	"astrolabe/rest/frame"
)

// PreparedOperations are the routes of the flow ledger and its metrics. The
// clock gives the time at which a body is generated.
func (h Handlers) PreparedOperations(now func() time.Time) []frame.Operation {
	snapshots := newGenerations(now, h.tvl)
	return []frame.Operation{
		{
			ID: "getPrivacyPoolTvl", Method: http.MethodGet, Path: "/v1/{chain}/privacy-pool/tvl",
			Summary: "Get the finalized flow ledger of the privacy pool.",
			Params:  []frame.Param{frame.ChainParam}, Permission: account.Read, Conditional: true,
			Class: frame.Light, Cert: frame.Beta, Audience: frame.External, Timeout: 5 * time.Second, Cache: "no-cache",
			Success: http.StatusOK, Body: "PrivacyPoolTvl",
			Proof: []string{
				"TestASnapshotIsCompleteOnlyIfEveryRuleHolds", "TestTheSnapshotIsServedAgainWithinItsSecond", "TestConditionalReadsOfTheSnapshot",
			},
			Handle: func(ctx context.Context, c *frame.Call) (any, error) { return snapshots.current(ctx, c.Chain) },
		},
		{
			ID: "listPrivacyPoolTvlSeries", Method: http.MethodGet, Path: "/v1/{chain}/privacy-pool/tvl/series",
			Summary: "List the finalized flow ledger of the privacy pool at the end of each hour, oldest first.",
			Params: []frame.Param{
				frame.ChainParam,
				{Name: "from", In: frame.InQuery, Kind: frame.HourKind, Required: true, About: "The first hour, by its start.", Example: "2026-01-01T00:00:00Z"},
				{Name: "to", In: frame.InQuery, Kind: frame.HourKind, Required: true, About: "The last hour, by its start. It is included.", Example: "2026-01-01T23:00:00Z"},
				{Name: "granularity", In: frame.InQuery, Kind: frame.EnumKind, Enum: []string{string(privacy.Hour)}, Required: true, About: "Interval between points.", Example: string(privacy.Hour)},
				frame.LimitParam(24, 24), frame.CursorParam,
			},
			Permission: account.Read, Conditional: true,
			Class: frame.Heavy, Cert: frame.Beta, Audience: frame.External, Timeout: 5 * time.Second, Cache: "no-cache",
			Success: http.StatusOK, Body: "PrivacyPoolTvlPage",
			Proof:  []string{"TestPointsAreListedFromTheOldestOfTheRange", "TestAPointIsCompleteOnlyIfEveryRuleHolds", "TestConditionalReadsOfPoints"},
			Handle: h.tvlSeries,
		},
		{
			ID: "listPrivacyPoolMetricBuckets", Method: http.MethodGet, Path: "/v1/{chain}/privacy-pool/metric-buckets",
			Summary: "List daily counts of the finalized events of the privacy pool, oldest first.",
			Params: []frame.Param{frame.ChainParam, {
				Name: "limit", In: frame.InQuery, Kind: frame.IntegerKind, Min: 1, Max: 90, Default: "30", About: "Maximum number of days to return, counted back from the newest.",
			}},
			Permission: account.Read,
			Class:      frame.Heavy, Cert: frame.Beta, Audience: frame.External, Timeout: 5 * time.Second, Cache: "no-cache",
			Success: http.StatusOK, Body: "PrivacyPoolMetricBuckets",
			Proof:  []string{"TestEveryDaySinceTheFirstEventHasABucket"},
			Handle: h.metricBuckets,
		},
		{
			ID: "getPrivacyPoolMetricSeries", Method: http.MethodGet, Path: "/v1/{chain}/privacy-pool/metrics/series",
			Summary: "Get wallets, flows and fees of the privacy pool over time.",
			Params: []frame.Param{
				frame.ChainParam,
				{
					Name: "range", In: frame.InQuery, Kind: frame.EnumKind, Default: string(privacy.Range7d),
					Enum:  []string{string(privacy.Range24h), string(privacy.Range7d), string(privacy.Range30d), string(privacy.RangeAll)},
					About: "How far the series go back from the newest finalized block of the ledger. With hourly buckets, `all` covers only the newest 720 hours.",
				},
				{
					Name: "granularity", In: frame.InQuery, Kind: frame.EnumKind, Default: string(privacy.Day),
					Enum:  []string{string(privacy.Hour), string(privacy.Day), string(privacy.Week)},
					About: "Length of a bucket. Days begin at midnight UTC, weeks on Monday.",
				},
				{Name: "token", In: frame.InQuery, Kind: frame.FeltKind, About: "Only flows and fees of this token. Without it, flows of the 100 tokens with the most recent flows."},
			},
			Permission: account.Read,
			Class:      frame.Heavy, Cert: frame.Beta, Audience: frame.External, Timeout: 5 * time.Second, Cache: "no-cache",
			Success: http.StatusOK, Body: "PrivacyPoolMetricSeries",
			Proof:  []string{"TestSeriesNameEveryBucketOfTheirRange", "TestSeriesOfManyTokensAreTruncated"},
			Handle: h.metricSeries,
		},
		{
			ID: "getPrivacyPoolAnalytics", Method: http.MethodGet, Path: "/v1/{chain}/privacy-pool/analytics",
			Summary: "Get sums over the finalized events of the privacy pool.",
			Params:  []frame.Param{frame.ChainParam}, Permission: account.Read,
			Class: frame.Light, Cert: frame.Beta, Audience: frame.External, Timeout: 5 * time.Second, Cache: "no-cache",
			Success: http.StatusOK, Body: "PrivacyPoolAnalytics",
			Proof:  []string{"TestAnalyticsSumUpTheLedger", "TestAnalyticsWaitForTheLedger"},
			Handle: h.analytics,
		},
	}
}
