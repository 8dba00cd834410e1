package rest

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"astrolabe/domain"
	privacydomain "astrolabe/domain/privacy"
)

const (
	bucketsPath = "/v1/SN_MAIN/privacy-pool/metric-buckets"
	metricsPath = "/v1/SN_MAIN/privacy-pool/metrics/series"
)

// idleUntil moves the time of the ledger's block: nothing happened since the last event.
func (l *ledger) idleUntil(at time.Time) {
	l.t.Helper()
	l.do("UPDATE privacy_ledgers SET timestamp = $1 WHERE chain = 1", at.Unix())
}

func TestEveryDaySinceTheFirstEventHasABucket(t *testing.T) {
	t.Parallel()
	l := newLedger(t)
	l.idleUntil(time.Date(2026, 1, 8, 1, 0, 0, 0, time.UTC))
	var all []string
	for _, item := range decodeBody[metricBucketsBody](t, l.get(bucketsPath)).Items {
		latest := "null"
		if item.LatestBlockNumber != nil {
			latest = fmt.Sprint(*item.LatestBlockNumber)
		}
		all = append(all, fmt.Sprint(item.BucketStartIso.Format(time.DateOnly), " ", item.NewViewingKeyWallets, item.CumulativeViewingKeyWallets,
			item.VisibleDeposits, item.VisibleWithdrawals, item.NoteUsedEvents, " ", latest))
	}
	want := []string{
		"2026-01-04 0 0 0 0 0 6", "2026-01-05 2 2 5 5 10 43", "2026-01-06 0 2 0 0 0 null", "2026-01-07 0 2 0 0 0 null", "2026-01-08 0 2 0 0 0 null",
	}
	if diff := cmp.Diff(want, all); diff != "" {
		t.Errorf("days (-want +got):\n%s", diff)
	}
	for limit, first := range map[int]string{1: "2026-01-08", 2: "2026-01-07", 5: "2026-01-04", 90: "2026-01-04"} {
		items := decodeBody[metricBucketsBody](t, l.get(fmt.Sprintf("%s?limit=%d", bucketsPath, limit))).Items
		if got := items[0].BucketStartIso.Format(time.DateOnly); got != first || items[len(items)-1].CumulativeViewingKeyWallets != 2 {
			t.Errorf("limit %d: got %d days from %s, want them from %s", limit, len(items), got, first)
		}
	}
	for _, limit := range []string{"0", "91", "x"} {
		requireFailure(t, l.get(bucketsPath+"?limit="+limit), http.StatusBadRequest, domain.CodeInvalidRequest)
	}
	l.do("UPDATE privacy_ledgers SET block = NULL WHERE chain = 1")
	if items := decodeBody[metricBucketsBody](t, l.get(bucketsPath)).Items; len(items) != 0 {
		t.Errorf("got %d days of an empty ledger, want none", len(items))
	}
}

func TestSeriesNameEveryBucketOfTheirRange(t *testing.T) {
	t.Parallel()
	l := newLedger(t)
	l.idleUntil(time.Date(2026, 3, 5, 10, 20, 0, 0, time.UTC)) // a Thursday
	for query, want := range map[string]struct {
		buckets int
		first   string
	}{
		"":                           {7, "2026-02-27T00"},
		"range=24h&granularity=hour": {24, "2026-03-04T11"},
		"range=24h&granularity=day":  {1, "2026-03-05T00"},
		"range=24h&granularity=week": {1, "2026-03-02T00"},
		"range=7d&granularity=hour":  {168, "2026-02-26T11"},
		"range=30d&granularity=hour": {720, "2026-02-03T11"},
		"range=30d&granularity=day":  {30, "2026-02-04T00"},
		"range=30d&granularity=week": {5, "2026-02-02T00"},
		"range=all&granularity=hour": {720, "2026-02-03T11"},
		"range=all&granularity=day":  {61, "2026-01-04T00"},
		"range=all&granularity=week": {10, "2025-12-29T00"},
		"range=all&granularity=day&token=0x4718f5a0fc34cc1af16a1cdee98ffb20c31f5cd61d6ab07201858f4287c938d": {61, "2026-01-04T00"},
	} {
		series := decodeBody[metricSeriesBody](t, l.get(metricsPath+"?"+query))
		wallets := series.WalletSeries
		if got := wallets[0].BucketStartIso.Format("2006-01-02T15"); len(wallets) != want.buckets || got != want.first {
			t.Errorf("%q: got %d buckets from %s, want %d from %s", query, len(wallets), got, want.buckets, want.first)
		}
		last := wallets[len(wallets)-1]
		if last.CumulativeViewingKeyWallets != 2 || last.LatestBlockNumber != nil {
			t.Errorf("%q: got %+v last, want 2 wallets and no event", query, last)
		}
		supply := series.ShieldedSupplySeries[len(series.ShieldedSupplySeries)-1]
		if !supply.BucketStartIso.Equal(last.BucketStartIso) || supply.DepositedRaw != "0" || supply.ShieldedSupplyRaw.Sign() == 0 {
			t.Errorf("%q: got the supply %+v last, want the sums of before", query, supply)
		}
		fee := series.PrivacyFeeSeries[len(series.PrivacyFeeSeries)-1]
		if !fee.BucketStartIso.Equal(last.BucketStartIso) || fee.FeeAmountRaw != "0" || fee.CumulativeFeeAmountRaw != "66000000000000000000" || fee.TokenAddress != privacydomain.STRK {
			t.Errorf("%q: got the fee %+v last, want the sums of before", query, fee)
		}
	}
}

// TestSeriesSumUpToTheLedger adds the buckets of each width.
func TestSeriesSumUpToTheLedger(t *testing.T) {
	t.Parallel()
	l := newLedger(t)
	snapshot := l.tvl()
	for _, width := range []string{"hour", "day", "week"} {
		series := decodeBody[metricSeriesBody](t, l.get(metricsPath+"?range=all&granularity="+width))
		for _, asset := range snapshot.Assets {
			var in, out, supply domain.Amount
			for _, b := range series.ShieldedSupplySeries {
				if b.TokenAddress != asset.Token.Address {
					continue
				}
				deposited, _ := domain.ParseAmount(b.DepositedRaw)
				withdrawn, _ := domain.ParseAmount(b.WithdrawnRaw)
				in, out, supply = in.Add(deposited), out.Add(withdrawn), b.ShieldedSupplyRaw
				if got := in.Sub(out); !got.Equal(supply) {
					t.Errorf("%s by the %s at %s: got a supply of %s, want %s", b.TokenAddress, width, b.BucketStartIso, supply, got)
				}
			}
			if in.String() != asset.DepositAmountRaw || out.String() != asset.WithdrawalAmountRaw {
				t.Errorf("%s by the %s: got %s in and %s out, want %s and %s", asset.Token.Address, width, in, out, asset.DepositAmountRaw, asset.WithdrawalAmountRaw)
			}
		}
	}
	none := decodeBody[metricSeriesBody](t, l.get(metricsPath+"?token=0x123"))
	if len(none.ShieldedSupplySeries) != 0 || len(none.PrivacyFeeSeries) != 0 || len(none.WalletSeries) == 0 {
		t.Errorf("got %+v for a token that never flowed, want wallets only", none)
	}
	for _, query := range []string{"range=1y", "granularity=minute", "token=STRK", "limit=1"} {
		requireFailure(t, l.get(metricsPath+"?"+query), http.StatusBadRequest, domain.CodeInvalidRequest)
	}
}

// crowd adds 120 tokens that flowed after all others through two pools, the
// later ones later.
const crowd = `INSERT INTO addresses (chain, id, felt) SELECT 1, 5000000 + n, decode(lpad(to_hex(100000 + n), 64, '0'), 'hex') FROM generate_series(1, 120) n;
	INSERT INTO privacy_counts (chain, pool, variant, events) VALUES (1, 5000001, 2, 120);
	INSERT INTO privacy_assets (chain, token, pool, deposited, withdrawn, deposits, withdrawals, missing, block, tx, log)
		SELECT 1, 5000000 + n, p, 10, 1, 1, 1, 0, 44, p % 7, n FROM generate_series(1, 120) n, (SELECT address AS p FROM privacy_pools UNION VALUES (5000001)) pools;
	INSERT INTO privacy_bucket_flows (chain, width, token, start, deposited, withdrawn, deposited_sum, withdrawn_sum, block)
		SELECT 1, 1, 5000000 + n, 1767571200, 20, 2, 20, 2, 44 FROM generate_series(1, 120) n`

func TestSeriesOfManyTokensAreTruncated(t *testing.T) {
	t.Parallel()
	l := newLedger(t)
	if series := decodeBody[metricSeriesBody](t, l.get(metricsPath)); series.TokensTruncated {
		t.Error("got the series of three tokens truncated, want them whole")
	}
	l.do(crowd)
	series := decodeBody[metricSeriesBody](t, l.get(metricsPath+"?range=24h"))
	if !series.TokensTruncated || len(series.ShieldedSupplySeries) != 100 {
		t.Errorf("got %d tokens, truncated %t, want 100 and more", len(series.ShieldedSupplySeries), series.TokensTruncated)
	}
	if got := series.ShieldedSupplySeries[0].TokenAddress.String(); got != fmt.Sprintf("%#x", 100021) {
		t.Errorf("got the token %s first, want the hundred that flowed last", got)
	}
	sums := decodeBody[analyticsBody](t, l.get(analyticsPath))
	if len(sums.TokenFlows) != 100 || !sums.TokenFlowsTruncated || sums.UnknownTokenCount != 123 {
		t.Fatalf("got %d tokens, truncated %t, %d unknown, want 100 and more of 123 unknown ones", len(sums.TokenFlows), sums.TokenFlowsTruncated, sums.UnknownTokenCount)
	}
	if newest := sums.TokenFlows[0]; newest.Token.Address.String() != fmt.Sprintf("%#x", 100120) || newest.EventCount != 4 || newest.ObservableNetAmountRaw.String() != "18" {
		t.Errorf("got %+v first, want the newest token with the sums of both pools", newest)
	}
}

func TestAnalyticsSumUpTheLedger(t *testing.T) {
	t.Parallel()
	l := newLedger(t)
	l.do("UPDATE tokens SET symbol = 'STRK', decimals = 18 WHERE address = (SELECT id FROM addresses WHERE chain = 1 AND felt = $1)", privacydomain.STRK[:])
	sums, snapshot := decodeBody[analyticsBody](t, l.get(analyticsPath)), l.tvl()
	var total, visible uint64
	for _, count := range sums.EventBreakdown {
		total += count.Count
	}
	for _, count := range sums.VisibilityBreakdown {
		visible += count.Count
	}
	if sums.TotalEvents != 36 || total != 36 || visible != 36 || len(sums.VisibilityBreakdown) != 3 || sums.UniqueTransactionCount != 13 || sums.ContractCount != 1 || *sums.LatestEventBlock != 43 {
		t.Errorf("got %+v, want 36 events of 13 transactions up to block 43", sums)
	}
	if sums.UnknownTokenCount != 2 || sums.MissingAmountEventCount != 0 || len(sums.UnavailableMetrics) != 4 || len(sums.TokenFlows) != len(snapshot.Assets) {
		t.Errorf("got %+v, want two of %d tokens unknown", sums, len(snapshot.Assets))
	}
	for _, asset := range snapshot.Assets {
		for _, flow := range sums.TokenFlows {
			if flow.Token.Address == asset.Token.Address && (flow.ObservableNetAmountRaw.String() != asset.ProtectedAmountRaw.String() || flow.EventCount != asset.DepositEventCount+asset.WithdrawalEventCount) {
				t.Errorf("got %+v, want the sums of %+v", flow, asset)
			}
		}
	}
}

func TestAnalyticsWaitForTheLedger(t *testing.T) {
	t.Parallel()
	l := newLedger(t)
	l.do("UPDATE privacy_ledgers SET block = NULL WHERE chain = 1")
	a := l.get(analyticsPath)
	requireFailure(t, a, http.StatusServiceUnavailable, domain.CodeServiceUnavailable)
	if after := a.Header.Get("Retry-After"); after != "10" {
		t.Errorf("got Retry-After %q, want 10", after)
	}
	l.do("DELETE FROM privacy_pools") // then nothing is to come
	if sums := decodeBody[analyticsBody](t, l.get(analyticsPath)); sums.TotalEvents != 0 || len(sums.TokenFlows) != 0 {
		t.Errorf("got %+v without a pool, want nothing", sums)
	}
}
