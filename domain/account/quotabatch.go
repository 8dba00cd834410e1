package account

import (
	"context"
	"time"
)

const (
	quotaBatch   = 256             // meters that one statement touches
	quotaTimeout = 2 * time.Second // of one statement
)

// serve works until the queue is empty.
func (q *Quotas) serve() {
	for {
		groups := q.next()
		if len(groups) == 0 {
			return
		}
		q.decide(groups)
	}
}

// group is waiters with the same meter, rate and cost.
type group []*waiter

// next dequeues the waiters that one statement can answer, in order of arrival
// at each meter. A waiter with another cost than the first of its meter, and
// all later ones of that meter, stay for the next statement.
func (q *Quotas) next() []group {
	q.mu.Lock()
	defer q.mu.Unlock()
	var (
		groups []group
		places = map[Metered]int{}
		closed = map[Metered]bool{}
		stay   []*waiter
	)
	for _, w := range q.waiting {
		place, met := places[w.meter]
		switch {
		case w.ctx.Err() != nil: // cancelled
		case closed[w.meter]:
			stay = append(stay, w)
		case met && groups[place][0].cost == w.cost && groups[place][0].rate == w.rate:
			groups[place] = append(groups[place], w)
		case met || len(groups) == quotaBatch:
			closed[w.meter] = true
			stay = append(stay, w)
		default:
			places[w.meter] = len(groups)
			groups = append(groups, group{w})
		}
	}
	q.waiting = stay
	clear(q.queued)
	for _, w := range stay {
		q.queued[w.meter]++
	}
	q.busy = len(groups) > 0
	return groups
}

// decide takes from the store for every group and answers the waiters. The
// statement has its own timeout, because it serves many requests.
func (q *Quotas) decide(groups []group) {
	ctx, cancel := context.WithTimeout(context.Background(), quotaTimeout)
	defer cancel()
	for _, g := range groups {
		q.correct(ctx, g[0].meter)
	}
	taken, now, err := q.store.TakeQuotas(ctx, q.takes(groups))
	read := q.reading(now)
	if err != nil {
		err = limiterDown(err)
	}
	for i, g := range groups {
		if err == nil {
			q.remember(g[0], taken[i].Meter, read)
			q.renew(g, taken[i], read)
			g.answer(now, taken[i])
			continue
		}
		for _, w := range g {
			w.answer <- answer{err: err}
		}
	}
}

func (q *Quotas) takes(groups []group) []QuotaTake {
	q.mu.Lock()
	defer q.mu.Unlock()
	takes := make([]QuotaTake, len(groups))
	for i, g := range groups {
		takes[i] = QuotaTake{
			Metered: g[0].meter, Limit: g[0].rate.Limit, Cost: g[0].cost, Count: len(g), Advance: q.advance(g[0]),
		}
	}
	return takes
}

// answer answers each of a group as if they had arrived one by one.
func (g group) answer(now time.Time, taken QuotaTaken) {
	rate, cost := g[0].rate, g[0].cost
	taken.Meter.Debt -= units(taken.Advance)
	for i, w := range g {
		later := taken.Granted - 1 - i // grants after this one
		if later >= 0 {
			w.answer <- answer{decision: rate.allowed(Meter{taken.Meter.At, taken.Meter.Debt - int64(later)*units(cost)})}
		} else {
			w.answer <- answer{decision: rate.denied(taken.Meter, now, cost)}
		}
	}
}
