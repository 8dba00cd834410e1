package account

import (
	"context"
	"time"
)

// Settle corrects an earlier take of a class once the real cost is known. What
// was not used can be taken again at once by this process, and by others within
// leaseTime. What was used in excess is charged, beyond the limit if need be, so
// that the caller waits for it before the next take. A correction that the store
// does not accept is lost.
func (q *Quotas) Settle(caller *Caller, class Class, taken, used int) {
	if caller == nil || caller.Kind == ByInternal || taken == used {
		return
	}
	q.settle(caller.metered(class), taken-used)
	if network := caller.network(); network != "" {
		q.settle(Metered{ByNetwork, network, class}, taken-used)
	}
}

// settle gives the rest of a take back to a meter.
func (q *Quotas) settle(m Metered, rest int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if rest > 0 {
		q.spent.Remove(m)
	}
	if l := q.leases[m]; l != nil && l.left+rest >= 0 {
		l.left += rest
		return
	}
	if _, pending := q.unsettled[m]; !pending {
		time.AfterFunc(leaseTime, func() {
			ctx, cancel := context.WithTimeout(context.Background(), quotaTimeout)
			defer cancel()
			q.correct(ctx, m)
		})
	}
	q.unsettled[m] += rest
}

// correct stores the correction of a meter, if there is one.
func (q *Quotas) correct(ctx context.Context, m Metered) {
	q.mu.Lock()
	rest := q.unsettled[m]
	delete(q.unsettled, m)
	q.mu.Unlock()
	if rest != 0 {
		_ = q.store.ReturnQuota(ctx, m, rest)
	}
}
