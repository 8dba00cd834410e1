package oracle

import (
	"maps"
	"net/http"
	"slices"
)

// width is the length of a bucket in seconds, and when the first one began.
type width struct{ length, origin uint64 }

var widths = map[string]width{"hour": {3600, 0}, "day": {86400, 0}, "week": {7 * 86400, 4 * 86400}}

func (w width) start(at uint64) uint64 { return at - (at-w.origin)%w.length }

// buckets are the starts of the newest buckets of the ledger, from the oldest;
// most is zero for all.
func (l ledger) buckets(w width, most int) (starts []uint64) {
	if l.empty() {
		return nil
	}
	for at := w.start(l.events[0].block.Timestamp); at <= l.through.Timestamp; at += w.length {
		starts = append(starts, at)
	}
	if most > 0 && len(starts) > most {
		starts = starts[len(starts)-most:]
	}
	return starts
}

// newestBlock is that of the last event; null without events.
func newestBlock(events []*poolEvent) any {
	if len(events) == 0 {
		return nil
	}
	return events[len(events)-1].block.BlockNumber
}

func (l ledger) walletBucket(start uint64, w width) object {
	before, until := wallets(l.between(0, start)), wallets(l.between(0, start+w.length))
	return object{
		"bucketStartIso": iso(start), "newViewingKeyWallets": len(until) - len(before), "cumulativeViewingKeyWallets": len(until),
		"latestBlockNumber": newestBlock(l.between(start, start+w.length)),
	}
}

// poolBuckets are the newest days.
func (m *Model) poolBuckets(r Request) Answer {
	limit, ok := limitOf(r.Query, "limit", 30, 90)
	if !ok {
		return invalid
	}
	l, day, items := m.poolLedger(), widths["day"], []object{}
	for _, start := range l.buckets(day, limit) {
		events, bucket := l.between(start, start+day.length), l.walletBucket(start, day)
		bucket["visibleDeposits"], bucket["visibleWithdrawals"] = count(events, "deposit", "open_note_deposited"), count(events, "withdrawal")
		bucket["noteUsedEvents"] = count(events, "note_used")
		items = append(items, bucket)
	}
	body := m.poolHead()
	body["bucketGranularity"], body["items"] = "day", items
	return Answer{Status: http.StatusOK, Body: body}
}

// poolSeries are wallets, flows and fees over time.
func (m *Model) poolSeries(r Request) object {
	span, granularity := "7d", "day"
	if r.Query.Has("range") {
		span = r.Query.Get("range")
	}
	if r.Query.Has("granularity") {
		granularity = r.Query.Get("granularity")
	}
	l, w := m.poolLedger(), widths[granularity]
	days := map[string]uint64{"24h": 1, "7d": 7, "30d": 30}[span]
	most := int((days*86400 + w.length - 1) / w.length) //nolint:gosec // At most 720.
	if span == "all" && granularity == "hour" {
		most = 720
	}
	holders, supply, fees := []object{}, []object{}, []object{}
	for _, start := range l.buckets(w, most) {
		holders = append(holders, l.walletBucket(start, w))
		here, until := l.between(start, start+w.length), l.between(0, start+w.length)
		for _, a := range (ledger{events: until}).assets() {
			if r.Query.Has("token") && felt(r.Query.Get("token")) != a.token {
				continue
			}
			bucket := object{
				"bucketStartIso": iso(start), "tokenAddress": a.token.String(), "depositedRaw": "0", "withdrawnRaw": "0",
				"shieldedSupplyRaw": a.net().String(), "latestBlockNumber": nil,
			}
			if part := poolAssets(here)[a.token]; part != nil {
				bucket["depositedRaw"], bucket["withdrawnRaw"] = part.deposited.String(), part.withdrawn.String()
				bucket["latestBlockNumber"] = part.newest.block.BlockNumber
			}
			supply = append(supply, bucket)
		}
		sum, all := poolFees(until)
		if all == 0 || r.Query.Has("token") && felt(r.Query.Get("token")) != strk {
			continue
		}
		part, n := poolFees(here)
		charged := slices.DeleteFunc(slices.Clone(here), func(e *poolEvent) bool { return len(e.fees) == 0 })
		fees = append(fees, object{
			"bucketStartIso": iso(start), "tokenAddress": strk.String(), "feeAmountRaw": part.String(), "cumulativeFeeAmountRaw": sum.String(),
			"feeTransferCount": n, "latestBlockNumber": newestBlock(charged),
		})
	}
	body := m.poolHead()
	maps.Copy(body, object{
		"range": span, "bucketGranularity": granularity, "walletSeries": holders, "shieldedSupplySeries": supply, "privacyFeeSeries": fees, "tokensTruncated": false,
	})
	return body
}
