package privacy

import "astrolabe/starknet"

// publish adds the points of all hours that end at or before a time, from the
// hour of the first event on. Each is the ledger as it stands, because the next
// block is not before that time.
func (f *fold) publish(until uint64) {
	l := &f.changes.Ledger
	next, some := l.nextHour()
	if !some || next >= until {
		return
	}
	tokens, assets := f.holdings()
	for ; next < until; next += hourSeconds {
		f.changes.Points = append(f.changes.Points, LedgerPoint{
			Hour: next, Block: *l.Through, Flow: l.Flow, Pools: uint64(len(f.pools)), Tokens: tokens, Missing: l.Missing, Assets: assets,
		})
		l.Hour = new(next)
	}
}

// nextHour returns the first hour that has no point yet. Without events there is
// none.
func (l *Ledger) nextHour() (start uint64, some bool) {
	switch {
	case l.FirstTimestamp == nil:
		return 0, false
	case l.Hour == nil:
		return Hour.Start(*l.FirstTimestamp), true
	default:
		return *l.Hour + hourSeconds, true
	}
}

// Due reports whether an hour has no point although it ends at or before a time.
func (l *Ledger) Due(until uint64) bool {
	next, some := l.nextHour()
	return some && next < Hour.Start(until)
}

// holdings counts the tokens that have flowed, and returns those that a point
// lists.
func (f *fold) holdings() (tokens uint64, assets map[starknet.Felt]LedgerFlow) {
	assets = map[starknet.Felt]LedgerFlow{}
	for token, flow := range f.tokens {
		if flow.Deposited != flow.Withdrawn || flow.Missing > 0 {
			assets[token] = flow
		}
	}
	return uint64(len(f.tokens)), assets
}
