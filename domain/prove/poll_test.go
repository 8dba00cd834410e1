package prove_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"astrolabe/domain"
	"astrolabe/domain/prove"
	store "astrolabe/repo/prove"
	sim "astrolabe/sim/prover"
)

// TestOneOfManyConcurrentPollsGetsTheResult polls a finished job 1,000 times at
// the same moment, half of them at a process that has to ask the holder.
func TestOneOfManyConcurrentPollsGetsTheResult(t *testing.T) {
	t.Parallel()
	d := newDeployment(t)
	holder := d.runs(func(o *prove.Options) { o.Address = "holder" })
	other := d.accepts(func(o *prove.Options) { o.Peers = peers{"holder": holder.Relay} })
	for _, reply := range []string{"attest", "55"} {
		d.sim.Script(sim.Replies[reply])
		job := holder.submits(reply)
		for status := prove.Queued; !status.Terminal(); status = <-holder.moves {
		}
		released := make(chan struct{})
		var delivered, empty atomic.Int32
		var all sync.WaitGroup
		for i := range 1000 {
			all.Go(func() {
				<-released
				polled, payload, err := []*process{holder, other}[i%2].Poll(t.Context(), "a", job.ID)
				switch {
				case err != nil:
					t.Errorf("got %v, want the job", err)
				case payload != nil:
					delivered.Add(1)
				case polled.Status.Terminal() && polled.Result == prove.Delivered:
					empty.Add(1)
				}
			})
		}
		close(released)
		all.Wait()
		if delivered.Load() != 1 || empty.Load() != 999 {
			t.Errorf("%s: got %d results and %d terminal jobs without, want 1 and 999", reply, delivered.Load(), empty.Load())
		}
		if left := holder.Stats(); left.Results != 0 {
			t.Errorf("got %d results in memory, want none", left.Results)
		}
	}
}

// peers reaches relays by their address.
type peers map[string]*prove.Relay

// Deliver implements prove.Peers.
func (p peers) Deliver(ctx context.Context, holder prove.Holder, id string) (*prove.Payload, error) {
	if p[holder.Address] == nil {
		return nil, errors.New("nothing listens there")
	}
	return p[holder.Address].Deliver(ctx, id)
}

func TestLookingAtAJobConsumesNothing(t *testing.T) {
	t.Parallel()
	d := newDeployment(t)
	p := d.runs()
	job := p.submits("one")
	p.awaits(prove.Succeeded)
	for range 3 {
		if got := p.has(job.ID, prove.Succeeded); got.Result != prove.Held || got.ResultGone() {
			t.Errorf("got the result %s, want it held", got.Result)
		}
		if page, err := p.List(t.Context(), "a", domain.PageRequest{Limit: 5}); err != nil || len(page.Items) != 1 || page.Items[0].Result != prove.Held {
			t.Errorf("got %+v and %v, want one job with a held result", page, err)
		}
		if replayed, _, err := p.Submit(t.Context(), key("a", "k"), idempotencyKey("one"), body(transaction("0x1"))); err != nil || replayed.Result != prove.Held {
			t.Errorf("got %+v and %v, want a replay with a held result", replayed, err)
		}
	}
	if _, payload := p.polls(job.ID); payload == nil {
		t.Error("got no result, want it at the first poll")
	}
	if _, _, err := p.Poll(t.Context(), "b", job.ID); domain.CodeOf(err) != domain.CodeNotFound {
		t.Errorf("got %v for another workspace, want %s", err, domain.CodeNotFound)
	}
}

func TestAHolderThatCannotBeReachedIsAnOutage(t *testing.T) {
	t.Parallel()
	d := newDeployment(t)
	holder := d.runs(func(o *prove.Options) { o.Address = "gone" })
	id := holder.submits("one").ID
	holder.awaits(prove.Succeeded)
	for name, other := range map[string]*process{"without peers": d.accepts(), "at a wrong address": d.accepts(func(o *prove.Options) { o.Peers = peers{} })} {
		_, _, err := other.Poll(t.Context(), "a", id)
		if refused, ok := errors.AsType[*domain.Error](err); !ok || refused.Code != domain.CodeServiceUnavailable || refused.RetryAfter == 0 {
			t.Errorf("%s: got %v, want %s with a delay", name, err, domain.CodeServiceUnavailable)
		}
	}
	if _, payload := holder.polls(id); payload == nil {
		t.Error("got no result, want it still at the holder")
	}
}

// failing is a store whose changes fail while it is told to, before or after they
// are committed.
type failing struct {
	prove.Store
	before, after atomic.Bool
	silent        atomic.Bool   // heartbeats fail
	failed        chan struct{} // receives when a change has failed
	changed       chan struct{} // receives when a change was made or found needless
}

func newFailing(d *deployment) *failing {
	return &failing{Store: store.NewJobs(d.db), failed: make(chan struct{}, 100), changed: make(chan struct{}, 100)}
}

var errOutage = errors.New("the database is away")

// ChangeJob implements prove.Store.
func (f *failing) ChangeJob(ctx context.Context, id string, decide func(*prove.Job) *prove.Change) (*prove.Job, error) {
	if f.before.Load() {
		f.failed <- struct{}{}
		return nil, errOutage
	}
	job, err := f.Store.ChangeJob(ctx, id, decide)
	if f.after.Load() {
		f.failed <- struct{}{}
		return nil, errOutage
	}
	f.changed <- struct{}{}
	return job, err
}

// Beat implements prove.Store.
func (f *failing) Beat(ctx context.Context, holder string, jobs []string) ([]string, error) {
	if f.silent.Load() {
		return nil, errOutage
	}
	return f.Store.Beat(ctx, holder, jobs)
}

// watching is a store that calls ended when the row of a job says that its result
// is held, before its writer knows.
type watching struct {
	prove.Store
	ended func(*prove.Job)
}

// ChangeJob implements prove.Store.
func (w *watching) ChangeJob(ctx context.Context, id string, decide func(*prove.Job) *prove.Change) (*prove.Job, error) {
	job, err := w.Store.ChangeJob(ctx, id, decide)
	if job != nil && job.Result == prove.Held {
		w.ended(job)
	}
	return job, err
}

// TestAResultCanBeDeliveredAsSoonAsItsRowSaysSo polls at the first moment.
func TestAResultCanBeDeliveredAsSoonAsItsRowSaysSo(t *testing.T) {
	t.Parallel()
	d := newDeployment(t)
	w := &watching{Store: store.NewJobs(d.db)}
	p := d.on(w)
	delivered := make(chan bool, 1)
	w.ended = func(job *prove.Job) {
		_, payload, err := p.Poll(t.Context(), "a", job.ID)
		if err != nil {
			t.Error(err)
		}
		delivered <- payload != nil
	}
	p.run().submits("one")
	if !<-delivered {
		t.Error("got no result, want it")
	}
}

// failures are the two moments at which a write can fail.
var failures = map[string]func(*failing) *atomic.Bool{
	"before the commit": func(f *failing) *atomic.Bool { return &f.before },
	"after the commit":  func(f *failing) *atomic.Bool { return &f.after },
}

// TestAResultIsKeptUntilItsDeliveryIsStored fails the write of a delivery before
// and after its commit: neither loses the result.
func TestAResultIsKeptUntilItsDeliveryIsStored(t *testing.T) {
	t.Parallel()
	for name, choose := range failures {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newDeployment(t)
			f := newFailing(d)
			p := d.on(f).run()
			id := p.submits("one").ID
			p.awaits(prove.Succeeded)
			choose(f).Store(true)
			if payload, err := p.Deliver(t.Context(), id); payload != nil || !errors.Is(err, errOutage) {
				t.Fatalf("got %v and %v, want no result while the database is away", payload, err)
			}
			choose(f).Store(false)
			if payload, err := p.Deliver(t.Context(), id); payload == nil || err != nil {
				t.Errorf("got %v and %v, want the result", payload, err)
			}
			if payload, err := p.Deliver(t.Context(), id); payload != nil || err != nil {
				t.Errorf("got %v and %v, want nothing more", payload, err)
			}
		})
	}
}

// TestAnOutcomeIsStoredWhenTheDatabaseIsBack fails the write of an outcome before
// and after its commit.
func TestAnOutcomeIsStoredWhenTheDatabaseIsBack(t *testing.T) {
	t.Parallel()
	for name, choose := range failures {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newDeployment(t)
			f := newFailing(d)
			p := d.on(f).run()
			held := make(chan struct{})
			d.sim.Script(holding(held))
			id := p.submits("one").ID
			d.arrives(1)
			<-f.changed // to dispatched
			choose(f).Store(true)
			close(held)
			<-f.failed
			choose(f).Store(false)
			<-f.changed // to succeeded, in a retry
			if _, payload := p.polls(id); payload == nil {
				t.Error("got no result, want it")
			}
			d.received(1)
		})
	}
}

// TestAJobIsSentOnceItsDispatchIsStored fails the write that precedes the first
// byte, before and after its commit. Nothing is sent before the database is back.
func TestAJobIsSentOnceItsDispatchIsStored(t *testing.T) {
	t.Parallel()
	for name, choose := range failures {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newDeployment(t)
			f := newFailing(d)
			choose(f).Store(true)
			p := d.on(f).run()
			id := p.submits("one").ID
			<-f.failed
			<-f.failed // in a retry
			d.received(0)
			choose(f).Store(false)
			p.awaits(prove.Succeeded)
			if job, payload := p.polls(id); payload == nil || job.Attempts != 1 {
				t.Errorf("got the result %v of %d attempts, want one of 1", payload, job.Attempts)
			}
			d.received(1)
		})
	}
}

// TestNothingIsSentIfTheDispatchIsNotStored stops a process that could not store
// its dispatch until then.
func TestNothingIsSentIfTheDispatchIsNotStored(t *testing.T) {
	t.Parallel()
	d := newDeployment(t)
	f := newFailing(d)
	f.before.Store(true)
	p := d.on(f, func(o *prove.Options) { o.Grace = time.Minute }).run()
	id := p.submits("one").ID
	<-f.failed
	stopped := make(chan struct{})
	go func() {
		p.stop()
		close(stopped)
	}()
	for late := 0; ; late++ { // the store answers again when no more is dispatched
		_, _, err := p.Submit(t.Context(), key("a", "k"), idempotencyKey(fmt.Sprint(late)), body(transaction("0x1")))
		if domain.CodeOf(err) == domain.CodeProverUnavailable {
			break
		}
	}
	f.before.Store(false)
	<-stopped
	if job := p.has(id, prove.Unavailable); job.Attempts != 0 {
		t.Errorf("got %d attempts, want none", job.Attempts)
	}
	d.received(0)
}

func TestTheDispatchIsStoredBeforeTheFirstByteIsSent(t *testing.T) {
	t.Parallel()
	d := newDeployment(t)
	p := d.runs()
	held := make(chan struct{})
	d.sim.Script(holding(held))
	id := p.submits("one").ID
	d.arrives(1)
	if job := p.has(id, prove.Dispatched); job.Attempts != 1 || job.DispatchedAt == nil {
		t.Errorf("got %+v, want one attempt", job)
	}
	close(held)
	p.awaits(prove.Succeeded)
}

func TestResultsExpire(t *testing.T) {
	t.Parallel()
	d := newDeployment(t)
	p := d.runs()
	d.sim.Script(sim.Succeed(), sim.Replies["55"])
	proof := p.submits("one").ID
	p.awaits(prove.Succeeded)
	failed := p.submits("two").ID
	p.awaits(prove.Failed)
	d.passes(prove.ResultLife)
	if job, payload := p.polls(proof); payload != nil || job.Result != prove.Expired || !job.ResultGone() {
		t.Errorf("got %+v and %v, want an expired result", job, payload)
	}
	if job, payload := p.polls(failed); payload != nil || job.Result != prove.Expired || *job.Failure().Number != 55 {
		t.Errorf("got %+v and %v, want only the code", job, payload)
	}
	if err := p.Upkeep(t.Context()); err != nil {
		t.Fatal(err)
	}
	if left := p.Stats(); left.Results != 0 {
		t.Errorf("got %d results in memory, want none", left.Results)
	}
	d.silence(prove.Silence + time.Second)
	if err := p.Upkeep(t.Context()); err != nil {
		t.Fatal(err)
	}
	if n := d.number("count(*) FROM prove_jobs WHERE result_state = 3"); n != 2 {
		t.Errorf("got %d expired rows, want 2", n)
	}
}

func TestTheOldestResultsGiveWayWhenMemoryIsFull(t *testing.T) {
	t.Parallel()
	d := newDeployment(t)
	p := d.runs(func(o *prove.Options) { o.MaxHeld = 200 << 10 }) // a proof has more than half of that
	first := p.submits("one").ID
	p.awaits(prove.Succeeded)
	second := p.submits("two").ID
	p.awaits(prove.Succeeded)
	if job, payload := p.polls(first); payload != nil || !job.ResultGone() {
		t.Errorf("got %v, want the older result gone", payload)
	}
	if _, payload := p.polls(second); payload == nil {
		t.Error("got no result, want the newer one")
	}
}
