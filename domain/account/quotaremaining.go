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
		remaining[i] = max(0, min(remaining[i]+q.here(m), rate.Limit))
	}
	return remaining, nil
}

// here is what this process holds of a meter: its lease, and what it has still
// to return.
func (q *Quotas) here(m Metered) int {
	held := q.unsettled[m]
	if l := q.leases[m]; l != nil {
		held += l.left
	}
	return held
}
