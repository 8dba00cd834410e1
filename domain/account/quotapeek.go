package account

import (
	"context"

	"astrolabe/domain"
)

// Peek tells what Take would decide for a cost of 1, but takes nothing: what
// remains is all that there is.
func (q *Quotas) Peek(ctx context.Context, caller *Caller, class Class) (Decision, error) {
	if caller == nil {
		return Decision{}, domain.Errorf(domain.CodeUnauthorized, "an API key is needed")
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
		return Decision{}, domain.Unavailable("the count of requests", quotaRetry, err)
	}
	meter := corrected(read[0], now)
	decision := rate.allowed(rate.drained(meter, now))
	q.mu.Lock()
	defer q.mu.Unlock()
	if p := q.purses[metered]; p != nil {
		decision.Remaining = min(decision.Remaining+p.left, rate.Limit)
	}
	if decision.Remaining < 1 {
		return rate.denied(meter, now, 1), nil
	}
	return decision, nil
}

// Remaining tells how much of each class a caller could take at once now, in
// the same order. It takes nothing. A store that fails is service_unavailable.
func (q *Quotas) Remaining(ctx context.Context, caller *Caller, classes []Class) ([]int, error) {
	meters := make([]Metered, len(classes))
	for i, class := range classes {
		meters[i] = caller.metered(class)
	}
	read, now, err := q.store.ReadQuotas(ctx, meters)
	if err != nil {
		return nil, domain.Unavailable("the count of requests", quotaRetry, err)
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
		if p := q.purses[m]; p != nil {
			remaining[i] = min(remaining[i]+p.left, rate.Limit)
		}
	}
	return remaining, nil
}
