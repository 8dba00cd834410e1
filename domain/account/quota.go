package account

import (
	"context"
	"sync"
	"time"

	"github.com/hashicorp/golang-lru/v2/simplelru"

	"astrolabe/cache"
	"astrolabe/domain"
)

const (
	quotaWaiting  = 4096            // takes in the queue
	quotaPerMeter = 1024            // takes of one meter in the queue
	quotaRetry    = 2 * time.Second // Retry-After of a failure
	quotaSpent    = 4096            // cached meters that are exhausted
)

// Metered identifies a meter: its caller and its class.
type Metered struct {
	Kind    Kind
	Subject string
	Class   Class
}

// QuotaTake requests the same cost Count times from a meter, and an advance.
type QuotaTake struct {
	Metered
	Limit, Cost, Count int
	Advance            int
}

// QuotaTaken is how many of the takes were granted, the advance that was
// granted, and the meter after both.
type QuotaTaken struct {
	Granted int
	Advance int
	Meter   Meter
}

// QuotaStore holds the meters that all processes share, and their clock.
type QuotaStore interface {
	// TakeQuotas decides each take like Count calls of Rate.Take, and returns
	// the results in the same order with the time of its clock. No two takes
	// may name the same meter. The advance is granted in full if the meter then
	// still has half of its limit left, else not at all. Grants are durable
	// when it returns.
	TakeQuotas(ctx context.Context, takes []QuotaTake) ([]QuotaTaken, time.Time, error)
	// ReadQuotas returns meters in the same order, and the time of its clock.
	// It changes nothing.
	ReadQuotas(ctx context.Context, meters []Metered) ([]Meter, time.Time, error)
	// ReturnQuota returns the unused rest of an advance or a take. A negative
	// rest is charged, also beyond the limit.
	ReturnQuota(ctx context.Context, m Metered, left int) error
}

// Quotas is the rate limiter. Processes that share a store share the limits:
// each take is recorded before it is answered, so that a process that dies
// loses none. Takes that arrive while a statement runs are sent together in the
// next one; each process runs one statement at a time. Large limits are leased:
// see lease.
//
// All times are the store's; the clocks of the processes need not agree.
type Quotas struct {
	store QuotaStore
	now   func() time.Time // measures durations only

	mu      sync.Mutex
	waiting []*waiter
	queued  map[Metered]int // waiting takes by meter
	busy    bool            // a goroutine serves the queue
	spent   *simplelru.LRU[Metered, spent]
	leases  map[Metered]*lease
	// unsettled is what Settle has still to return.
	unsettled map[Metered]int
}

// spent is a meter that has less than 1 left. It cannot change until that much
// has refilled, so denials need no statement.
type spent struct {
	rate  Rate
	meter Meter
	read  reading
}

// reading is one moment by the store's clock and by that of this process.
type reading struct{ store, local time.Time }

func (q *Quotas) reading(store time.Time) reading { return reading{store, q.now()} }

// after returns the store's time now, less the latency of the reading.
func (q *Quotas) after(r reading) time.Time { return r.store.Add(max(0, q.now().Sub(r.local))) }

type waiter struct {
	ctx    context.Context
	meter  Metered
	rate   Rate
	cost   int
	answer chan answer // buffered, because a cancelled waiter does not receive
}

type answer struct {
	decision Decision
	err      error
}

func limiterDown(cause error) error {
	return domain.Unavailable(quotaRetry, cause, "The rate limiter could not reach the database. Retry.")
}

// NewQuotas makes the service, one per process. The clock need not be right.
func NewQuotas(store QuotaStore, now func() time.Time) *Quotas {
	return &Quotas{
		store: store, now: now, queued: map[Metered]int{}, leases: map[Metered]*lease{}, unsettled: map[Metered]int{},
		spent: cache.Must(simplelru.NewLRU[Metered, spent](quotaSpent, nil)),
	}
}

// Take charges a caller for one use of a class. A denial is a Decision, not an
// error: see Decision.Err. Internal callers are not limited. A client without a
// key is charged to its IPv6 network, too. The errors are
// unauthorized without a caller, those of Rate.Check, service_unavailable when
// the store fails or the queue is full, and the context's own.
func (q *Quotas) Take(ctx context.Context, caller *Caller, class Class, cost int) (Decision, error) {
	if caller == nil {
		return Decision{}, domain.Errorf(domain.CodeUnauthorized, missingKey)
	}
	if caller.Kind == ByInternal {
		return Decision{Allowed: true}, nil
	}
	rate := caller.rate(class)
	if err := rate.Check(cost); err != nil {
		return Decision{}, err
	}
	decision, err := q.take(ctx, caller.metered(class), rate, cost)
	network := caller.network()
	if err != nil || !decision.Allowed || network == "" {
		return decision, err
	}
	shared, err := q.take(ctx, Metered{ByNetwork, network, class}, rate.Shared(), cost)
	if err != nil || !shared.Allowed {
		return shared, err
	}
	return decision, nil
}

// take charges one meter.
func (q *Quotas) take(ctx context.Context, meter Metered, rate Rate, cost int) (Decision, error) {
	if decision, ok := q.takeLeased(meter, rate, cost); ok {
		return decision, nil
	}
	w := &waiter{ctx: ctx, meter: meter, rate: rate, cost: cost, answer: make(chan answer, 1)}
	if a, known := q.enqueue(w); known {
		return a.decision, a.err
	}
	select {
	case a := <-w.answer:
		return a.decision, a.err
	case <-ctx.Done():
		return Decision{}, ctx.Err()
	}
}

// enqueue queues a waiter, unless its answer is known already.
func (q *Quotas) enqueue(w *waiter) (answer, bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if decision, denied := q.denial(w); denied {
		return answer{decision: decision}, true
	}
	if len(q.waiting) >= quotaWaiting || q.queued[w.meter] >= quotaPerMeter {
		return answer{err: domain.Unavailable(quotaRetry, nil, "Too many requests are waiting for the rate limiter. Retry.")}, true
	}
	q.waiting = append(q.waiting, w)
	q.queued[w.meter]++
	if !q.busy {
		q.busy = true
		go q.serve()
	}
	return answer{}, false
}

// denial answers from the cache while the meter is spent.
func (q *Quotas) denial(w *waiter) (Decision, bool) {
	known, ok := q.spent.Get(w.meter)
	if !ok {
		return Decision{}, false
	}
	now := q.after(known.read)
	if known.rate != w.rate || !known.rate.spent(known.meter, now) {
		q.spent.Remove(w.meter)
		return Decision{}, false
	}
	return w.rate.denied(known.meter, now, w.cost), true
}

// remember caches a meter that is spent. An evicted one costs a statement.
func (q *Quotas) remember(w *waiter, m Meter, read reading) {
	if !w.rate.spent(m, read.store) {
		return
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	q.spent.Add(w.meter, spent{w.rate, m, read})
}
