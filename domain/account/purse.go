package account

import (
	"context"
	"time"
)

const (
	// purseLife is how long a purse lives after its caller was last busy.
	purseLife = 50 * time.Millisecond
	// busyTakes in the life of a purse make a caller busy.
	busyTakes = 4
	// leastTakes is how many an advance must pay for to be worth its return.
	leastTakes = 8
)

// purse is what a process was given of a large budget in advance, so that not
// every take of a busy caller needs a statement. It holds at most what refills
// in its life, a 1200th of the budget, and what is left is given back when the
// caller is no longer busy. So no more than that is lost with a process that
// dies, or missing elsewhere for a moment, or added to a burst; and budgets
// below 9600, on which nobody can be busy for long, have no purses and are
// exact to the unit.
type purse struct {
	rate  Rate
	left  int
	meter Meter // after the last advance
	read  reading
	takes int  // in this life
	busy  bool // in the life before
}

// advance is how much to ask for: nothing for a caller who is not busy, whose
// advances would be given back unused.
func (q *Quotas) advance(w *waiter) int {
	p := q.purses[w.meter]
	if p == nil || !p.busy && p.takes < busyTakes {
		return 0
	}
	return max(0, w.rate.advance(w.cost)-p.left)
}

// advance is how much a full purse holds, for takes of a cost.
func (r Rate) advance(cost int) int {
	if n := int(int64(r.Limit) * int64(purseLife) / int64(Window)); n >= leastTakes*cost {
		return n
	}
	return 0
}

// pay answers a take from the caller's purse.
func (q *Quotas) pay(m Metered, rate Rate, cost int) (Decision, bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	p := q.purses[m]
	if p == nil || p.rate != rate || p.left < cost {
		return Decision{}, false
	}
	p.left -= cost
	p.takes++
	decision := p.rate.allowed(p.rate.drained(p.meter, q.after(p.read)))
	decision.Remaining = min(decision.Remaining+p.left, p.rate.Limit)
	return decision, true
}

// fill puts an advance into the purse of those who have just taken.
func (q *Quotas) fill(g group, taken QuotaTaken, read reading) {
	w := g[0]
	if w.rate.advance(w.cost) == 0 {
		return
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	p := q.purses[w.meter]
	if p == nil {
		p = new(purse)
		q.purses[w.meter] = p
		time.AfterFunc(purseLife, func() { q.endLife(w.meter) })
	}
	p.rate, p.meter, p.read = w.rate, taken.Meter, read
	p.left, p.takes = p.left+taken.Advance, p.takes+len(g)
}

// endLife begins another life of a busy caller's purse and gives back what is
// left in any other. What cannot be given back counts as used.
func (q *Quotas) endLife(m Metered) {
	q.mu.Lock()
	p := q.purses[m]
	if p.busy = p.takes >= busyTakes; p.busy {
		p.takes = 0
		time.AfterFunc(purseLife, func() { q.endLife(m) })
		q.mu.Unlock()
		return
	}
	delete(q.purses, m)
	q.mu.Unlock()
	if p.left == 0 {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), quotaTimeout)
	defer cancel()
	_ = q.store.ReturnQuota(ctx, m, p.left)
}
