package account

import (
	"context"

	"astrolabe/domain"
)

// Peek returns what Take would decide for a cost of 1, without taking it.
func (q *Quotas) Peek(ctx context.Context, caller *Caller, class Class) (Decision, error) {
	if caller == nil {
		return Decision{}, domain.Errorf(domain.CodeUnauthorized, missingKey)
	}
	if caller.Kind == ByInternal {
		return Decision{Allowed: true}, nil
	}
	metered, rate := caller.metered(class), caller.rate(class)
	if err := rate.Check(1); err != nil {
		return Decision{}, err
	}
	read, now, err := q.store.ReadQuotas(ctx, []Metered{metered})
	if err != nil {
		return Decision{}, limiterDown(err)
	}
	meter := corrected(read[0], now)
	decision := rate.allowed(rate.drained(meter, now))
	q.mu.Lock()
	defer q.mu.Unlock()
	decision.Remaining = min(decision.Remaining+q.here(metered), rate.Limit)
	if decision.Remaining < 1 {
		return rate.denied(meter, now, 1), nil
	}
	return decision, nil
}

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
