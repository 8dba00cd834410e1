package prove

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"astrolabe/domain"
)

// Upstream is the prover behind a circuit. After faults the circuit opens for a
// pause, and then allows one attempt, whose answer closes it or opens it again.
type Upstream interface {
	// Ready reports whether new jobs may be queued. If not, because the circuit
	// is open or its one attempt runs, it returns how long to wait.
	Ready() (wait time.Duration, ready bool)
	// Reserve returns the permit for one attempt, which must be used or
	// cancelled. While the one attempt after a pause runs, it waits for its end.
	// It returns false if the circuit is open, or if ctx ends.
	Reserve(ctx context.Context) (Attempt, bool)
}

// Attempt is the permit for one request to the prover.
type Attempt interface {
	// Prove sends a request, at most once, and returns how that ended. It ends
	// when ctx does, with the outcome that is then true.
	Prove(ctx context.Context, params Private) Outcome
	// Cancel gives the permit back. Nothing was sent.
	Cancel()
}

// Peers are the relays of other processes.
type Peers interface {
	// Deliver calls Relay.Deliver of the holder of a job.
	Deliver(ctx context.Context, holder Holder, id string) (*Payload, error)
}

// Options configure a relay. Only Keys and Upstream have no default.
type Options struct {
	// Keys are the keys of the digests.
	Keys Keys
	// Upstream is the prover.
	Upstream Upstream
	// Peers reaches other processes. Without it, their results cannot be
	// delivered here.
	Peers Peers
	// Address is where other processes reach this relay; empty means nowhere.
	Address string
	// Budget is the budget of keys for which no other is set; by default
	// UsualBudget.
	Budget Budget
	// Queue is how many jobs of all workspaces may wait; by default UsualQueue.
	Queue int
	// Concurrent is how many requests this process sends at the same time; by
	// default 2, as many as a prover works on.
	Concurrent int
	// MaxHeld is how many bytes of results are kept; by default 256 MiB. Beyond
	// that the oldest expire early.
	MaxHeld int64
	// Grace is how long Run waits for requests that were sent when its context
	// has ended; by default 20 s. Then their delivery is unknown.
	Grace time.Duration
	// Linger is how long Run then keeps results that were not delivered; by
	// default no time.
	Linger time.Duration
	// Now is the clock; by default time.Now.
	Now func() time.Time
	// Logger logs outages and what was swept, without content; default none.
	Logger *slog.Logger
	// OnTransition is called after each transition of a job by this process, with its new
	// status; default none.
	OnTransition func(Status)
}

func (o Options) withDefaults() Options {
	if o.Budget == (Budget{}) {
		o.Budget = UsualBudget
	}
	if o.Queue == 0 {
		o.Queue = UsualQueue
	}
	if o.Concurrent == 0 {
		o.Concurrent = 2
	}
	if o.MaxHeld == 0 {
		o.MaxHeld = 256 << 20
	}
	if o.Grace == 0 {
		o.Grace = 20 * time.Second
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	if o.OnTransition == nil {
		o.OnTransition = func(Status) {}
	}
	return o
}

// Relay accepts submissions, dispatches them while Run runs, and delivers their
// results. It is safe for concurrent use.
type Relay struct {
	options Options
	store   Store
	holder  Holder
	results *results

	mu       sync.Mutex
	waiting  []*ticket // by place
	active   []*ticket // being dispatched
	draining bool
	forgot   time.Time     // when Upkeep last deleted digests
	wake     chan struct{} // receives when there may be more to dispatch
}

// New returns a relay on a store.
func New(store Store, o Options) *Relay {
	o = o.withDefaults()
	return &Relay{
		options: o, store: store, holder: Holder{newID(""), o.Address},
		results: newResults(o.MaxHeld), wake: make(chan struct{}, 1),
	}
}

// Holder returns the identity of this process.
func (r *Relay) Holder() Holder { return r.holder }

// Of returns a job of a workspace, without what it delivers. A job of another
// workspace and an ID that no job can have are not_found, with the same text.
func (r *Relay) Of(ctx context.Context, workspace, id string) (*Job, error) {
	if !idForm.MatchString(id) {
		return nil, absent()
	}
	job, err := r.store.Job(ctx, id)
	if err != nil {
		return nil, err
	}
	if job == nil || job.Workspace != workspace {
		return nil, absent()
	}
	job.expire(r.options.Now())
	return job, nil
}

// List returns a page of the jobs of a workspace, newest first.
func (r *Relay) List(ctx context.Context, workspace string, page domain.PageRequest) (domain.Page[Job], error) {
	jobs, err := r.store.Jobs(ctx, workspace, page)
	for i := range jobs.Items {
		jobs.Items[i].expire(r.options.Now())
	}
	return jobs, err
}

func absent() error {
	return domain.Errorf(domain.CodeNotFound, "The proof job does not exist.")
}

// move makes the change that decide returns for a job, if this process still
// holds it in the same place of the queue. It returns false if it does not, or if
// decide returns nil.
func (r *Relay) move(ctx context.Context, id string, place int64, decide func(*Job, time.Time) *Change) (bool, error) {
	var made *Change
	_, err := r.store.ChangeJob(ctx, id, func(job *Job) *Change {
		made = nil
		if job.Holder.ID != r.holder.ID || job.Place != place {
			return nil
		}
		made = decide(job, latest(domain.Milliseconds(r.options.Now()), job.QueuedAt))
		return made
	})
	if err != nil {
		return false, err
	}
	if made != nil && made.To != "" {
		r.options.OnTransition(made.To)
	}
	return made != nil, nil
}

// latest keeps the times of a job in order when the clocks of processes differ.
func latest(a, b time.Time) time.Time {
	if a.Before(b) {
		return b
	}
	return a
}
