package account

import "context"

// Remaining returns how much of each class a caller could take at once now, in
// the same order, without taking it. A failing store is service_unavailable.
func (q *Quotas) Remaining(ctx context.Context, caller *Caller, classes []Class) ([]int, error) {
	meters := make([]Metered, len(classes))
	for i, class := range classes {
		meters[i] = caller.metered(class)
	}
	read, now, err := q.store.ReadQuotas(ctx, meters)
	if err != nil {
		return nil, limiterDown(err)
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	remaining := make([]int, len(classes))
	for i, m := range meters {
		rate := caller.rate(m.Class)
		if rate.Limit < 1 {
			continue
		}
		remaining[i] = rate.remaining(rate.drained(read[i], now))
		if l := q.leases[m]; l != nil {
			remaining[i] = min(remaining[i]+l.left, rate.Limit)
		}
	}
	return remaining, nil
}
