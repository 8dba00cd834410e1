package account

import (
	"context"
	"time"
)

const (
	// leaseTime is how long a lease lasts; the lease of a busy caller is
	// renewed.
	leaseTime = 50 * time.Millisecond
	// busyTakes within a lease's time make a caller busy.
	busyTakes = 4
	// leastTakes is how many takes an advance must cover to be worth a
	// statement that returns the rest.
	leastTakes = 8
)

// lease is a part of a large rate limit that this process has taken in advance,
// so that a busy caller does not need one statement per request. It holds at
// most what refills within leaseTime, a 1200th of the limit, and the rest is
// returned when the caller is no longer busy. So a process that dies loses at
// most that much, and a burst can exceed the limit by at most that much. Rate
// limits below 9600 are not leased and are exact.
type lease struct {
	rate  Rate
	left  int
	meter Meter // after the last advance
	read  reading
	takes int  // in the current period
	busy  bool // in the previous period
}

// advance returns how much to take in advance: nothing for a caller that is not
// busy and would leave it unused.
func (q *Quotas) advance(w *waiter) int {
	l := q.leases[w.meter]
	if l == nil || !l.busy && l.takes < busyTakes {
		return 0
	}
	return max(0, w.rate.advance(w.cost)-l.left)
}

// advance is the size of a full lease for takes of a cost, 0 when it is too
// small to pay off.
func (r Rate) advance(cost int) int {
	if n := int(int64(r.Limit) * int64(leaseTime) / int64(Window)); n >= leastTakes*cost {
		return n
	}
	return 0
}

// takeLeased answers a take from the caller's lease.
func (q *Quotas) takeLeased(m Metered, rate Rate, cost int) (Decision, bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	l := q.leases[m]
	if l == nil || l.rate != rate || l.left < cost {
		return Decision{}, false
	}
	l.left -= cost
	l.takes++
	decision := l.rate.allowed(l.rate.drained(l.meter, q.after(l.read)))
	decision.Remaining = min(decision.Remaining+l.left, l.rate.Limit)
	return decision, true
}

// renew adds an advance to the lease of a group of takes.
func (q *Quotas) renew(g group, taken QuotaTaken, read reading) {
	w := g[0]
	if w.rate.advance(w.cost) == 0 {
		return
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	l := q.leases[w.meter]
	if l == nil {
		l = new(lease)
		q.leases[w.meter] = l
		time.AfterFunc(leaseTime, func() { q.expire(w.meter) })
	}
	l.rate, l.meter, l.read = w.rate, taken.Meter, read
	l.left, l.takes = l.left+taken.Advance, l.takes+len(g)
}

// expire starts the next period of a busy caller's lease and returns what is
// left of any other to the store. If that fails, the rest counts as used.
func (q *Quotas) expire(m Metered) {
	q.mu.Lock()
	l := q.leases[m]
	if l.busy = l.takes >= busyTakes; l.busy {
		l.takes = 0
		time.AfterFunc(leaseTime, func() { q.expire(m) })
		q.mu.Unlock()
		return
	}
	delete(q.leases, m)
	q.mu.Unlock()
	if l.left == 0 {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), quotaTimeout)
	defer cancel()
	_ = q.store.ReturnQuota(ctx, m, l.left)
}
