package oracle

import (
	"net/url"
	"strconv"
)

// poolRoutes are the routes of privacy pools.
var poolRoutes = []string{"events", "commitments", "nullifiers", "status", "tvl", "tvl/series", "metric-buckets", "metrics/series", "analytics"}

// privacyRequest asks about the privacy pool.
func (a *asker) privacyRequest() Request {
	route := pick(a, poolRoutes)
	r := Request{Path: "privacy-pool/" + route, Query: url.Values{}}
	switch route {
	case "events":
		if r.Query = a.list(100); a.oneIn(2) {
			r.Query.Set("event", pick(a, append(poolNames(), protocolEvent, "no_such_event")))
		}
	case "commitments", "nullifiers":
		if r.Query = a.list(100); a.oneIn(3) {
			r.Query.Set("pool", pick(a, []string{privacyPools[a.m.Chain].String(), a.address().String()}))
		}
	case "tvl/series":
		from, to := a.hour(), a.hour()
		if from > to && !a.oneIn(10) {
			from, to = to, from
		}
		r.Query = url.Values{"granularity": {"hour"}, "from": {iso(from)}, "to": {iso(to)}, "limit": {strconv.Itoa(1 + a.IntN(24))}}
	case "metric-buckets":
		if a.oneIn(2) {
			r.Query.Set("limit", strconv.Itoa(a.IntN(92)))
		}
	case "metrics/series":
		if a.oneIn(2) {
			r.Query.Set("range", pick(a, []string{"24h", "7d", "30d", "all"}))
		}
		if a.oneIn(2) {
			r.Query.Set("granularity", pick(a, []string{"hour", "day", "week"}))
		}
		if a.oneIn(3) {
			r.Query.Set("token", a.token().String())
		}
	}
	return r
}

// hour is the start of an hour around the chain's.
func (a *asker) hour() uint64 {
	first, last := a.m.Blocks[0].Timestamp/3600, a.m.head().Timestamp/3600
	return (first - 1 + a.Uint64N(last-first+3)) * 3600
}
