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
	quotaWaiting = 4096            // takes that may wait for their turn
	quotaCrowd   = 1024            // of those, how many of one meter
	quotaRetry   = 2 * time.Second // when to come back after a failure
	quotaSpent   = 4096            // meters that are known to be spent
)

// Metered names a meter: whose it is and of which class.
type Metered struct {
	Kind    Kind
	Subject string
	Class   Class
}

// QuotaTake asks a meter for the same cost Count times, and for an advance.
type QuotaTake struct {
	Metered
	Limit, Cost, Count int
	Advance            int
}

// QuotaTaken is how many of the takes were allowed, the advance that was
// given, and where the meter stands after both.
type QuotaTaken struct {
	Granted int
	Advance int
	Meter   Meter
}

// QuotaStore keeps the meters that all processes share, and the clock that they
// are read by.
type QuotaStore interface {
	// TakeQuotas decides each take, as so many calls of Rate.Take would, and
	// answers in the same order, with the time of its clock. No two takes name
	// the same meter. The advance is given whole, where the meter then still
	// has half of its budget left, or not at all. What was given is on record
	// when it returns, whatever happens to the process.
	TakeQuotas(ctx context.Context, takes []QuotaTake) ([]QuotaTaken, time.Time, error)
	// ReadQuotas tells where meters stand, in the same order, and the time of
	// its clock. It changes nothing.
	ReadQuotas(ctx context.Context, meters []Metered) ([]Meter, time.Time, error)
	// ReturnQuota takes back what is left of an advance.
	ReturnQuota(ctx context.Context, m Metered, left int) error
}

// Quotas decides whether callers may use more of their budgets. Processes that
// share a store share the budgets: each take is recorded before it is
// answered, so a process that dies takes nothing with it. Takes that arrive
// while others are being recorded wait and go together in the next statement,
// of which each process has one at a time. Large budgets are drawn on in
// advance: see purse.
//
// Time is the store's: what the clock of a process shows is of no account.
type Quotas struct {
	store QuotaStore
	now   func() time.Time // measures how long something took; never tells the time

	mu      sync.Mutex
	waiting []*waiter
	crowds  map[Metered]int // how many wait at each meter
	busy    bool            // a goroutine serves those who wait
	spent   *simplelru.LRU[Metered, spent]
	purses  map[Metered]*purse
}

// spent is a meter that has not even 1 left. Until that much is back it cannot
// change, so denials need no statement.
type spent struct {
	rate  Rate
	meter Meter
	read  reading
}

// reading is a moment by the store's clock and by this process' own.
type reading struct{ store, local time.Time }

func (q *Quotas) reading(store time.Time) reading { return reading{store, q.now()} }

// after returns what the store's clock shows now, less the time that the
// reading took to arrive.
func (q *Quotas) after(r reading) time.Time { return r.store.Add(max(0, q.now().Sub(r.local))) }

type waiter struct {
	ctx    context.Context
	meter  Metered
	rate   Rate
	cost   int
	answer chan answer // holds one, so that nobody waits for who left
}

type answer struct {
	decision Decision
	err      error
}

// NewQuotas makes the service. Every process of a deployment has one. It may
// have any clock that runs, however wrong.
func NewQuotas(store QuotaStore, now func() time.Time) *Quotas {
	return &Quotas{
		store: store, now: now, crowds: map[Metered]int{}, purses: map[Metered]*purse{},
		spent: cache.Must(simplelru.NewLRU[Metered, spent](quotaSpent, nil)),
	}
}

// Take charges a caller for one use of a class. A denial is a decision, not an
// error: see Decision.Err. Internal callers are not limited. The errors are
// unauthorized without a caller, those of Rate.Check, service_unavailable when
// the store fails or too many takes wait already, and the context's own.
func (q *Quotas) Take(ctx context.Context, caller *Caller, class Class, cost int) (Decision, error) {
	if caller == nil {
		return Decision{}, domain.Errorf(domain.CodeUnauthorized, "an API key is needed")
	}
	if caller.Kind == ByInternal {
		return Decision{Allowed: true}, nil
	}
	meter, rate := caller.metered(class), caller.rate(class)
	if err := rate.Check(cost); err != nil {
		return Decision{}, err
	}
	if decision, paid := q.pay(meter, rate, cost); paid {
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

// enqueue lets a waiter wait, unless its answer is known already.
func (q *Quotas) enqueue(w *waiter) (answer, bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if decision, denied := q.denial(w); denied {
		return answer{decision: decision}, true
	}
	if len(q.waiting) >= quotaWaiting || q.crowds[w.meter] >= quotaCrowd {
		return answer{err: domain.Unavailable("the count of requests", quotaRetry, nil)}, true
	}
	q.waiting = append(q.waiting, w)
	q.crowds[w.meter]++
	if !q.busy {
		q.busy = true
		go q.serve()
	}
	return answer{}, false
}

// denial answers from memory while the meter is spent.
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

// remember notes a meter that is spent. The memory is bounded: what it forgets
// costs a statement.
func (q *Quotas) remember(w *waiter, m Meter, read reading) {
	if !w.rate.spent(m, read.store) {
		return
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	q.spent.Add(w.meter, spent{w.rate, m, read})
}
