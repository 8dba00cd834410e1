package prove_test

import (
	"testing"
	"time"

	"astrolabe/domain"
	"astrolabe/domain/prove"
	"astrolabe/prover"
	sim "astrolabe/sim/prover"
)

// TestAnOpenCircuitRefusesSubmissions opens the circuit by one fault. Replays are
// answered, and the job that waits ends without an attempt.
func TestAnOpenCircuitRefusesSubmissions(t *testing.T) {
	t.Parallel()
	d := newDeployment(t)
	upstream, err := prover.New(prover.Options{URL: d.url, Faults: 1, Pause: time.Hour})
	if err != nil {
		t.Fatal(err)
	}
	held := make(chan struct{})
	d.sim.Script(sim.CutRead().After(held))
	p := d.runs(func(o *prove.Options) { o.Upstream, o.Concurrent = upstream, 1 })
	sent := p.submits("sent").ID
	d.arrives(1)
	waiting := p.submits("waiting").ID
	close(held)
	p.awaits(prove.UnknownDelivery)
	p.awaits(prove.Unavailable)
	p.has(sent, prove.UnknownDelivery)
	if job := p.has(waiting, prove.Unavailable); job.Attempts != 0 || job.DispatchedAt != nil {
		t.Errorf("got %+v, want a job that was never dispatched", job)
	}
	for _, name := range []string{"new", "waiting"} { // a new job, and one to queue again
		refused := p.refuses(domain.CodeProverUnavailable, key("a", "k"), idempotencyKey(name), body(transaction("0x1")))
		if refused.RetryAfter <= 0 || refused.RetryAfter > time.Hour {
			t.Errorf("%s: got Retry-After %s, want the rest of the pause", name, refused.RetryAfter)
		}
	}
	if _, admission, err := p.Submit(t.Context(), key("a", "k"), idempotencyKey("sent"), body(transaction("0x1"))); err != nil || admission != prove.Replayed {
		t.Errorf("got %d and %v, want a replay", admission, err)
	}
	if used := d.number("sum(used) FROM prove_budgets"); used != 2 {
		t.Errorf("got %d debits, want those of the accepted jobs", used)
	}
	d.received(1)
}

// TestJobsWaitForTheAttemptAfterAPause queues three jobs when the pause of the
// circuit is over. The first one is its only attempt. Until that is answered the
// others keep their places, and new submissions are refused.
func TestJobsWaitForTheAttemptAfterAPause(t *testing.T) {
	t.Parallel()
	const pause = 50 * time.Millisecond
	d := newDeployment(t)
	upstream, err := prover.New(prover.Options{URL: d.url, Faults: 1, Pause: pause})
	if err != nil {
		t.Fatal(err)
	}
	held := make(chan struct{})
	d.sim.Script(sim.CutRead(), holding(held))
	opens(t, upstream)
	p := d.accepts(func(o *prove.Options) { o.Upstream, o.Budget = upstream, prove.Budget{Concurrent: 9, Daily: 9} })
	jobs := []*prove.Job{p.submits("first"), p.submits("second"), p.submits("third")}
	p.run()
	d.arrives(2)
	if job := p.has(jobs[0].ID, prove.Dispatched); job.Attempts != 1 {
		t.Errorf("got %d attempts of the first job, want 1", job.Attempts)
	}
	for i, waiting := range jobs[1:] {
		if job := p.has(waiting.ID, prove.Queued); job.Attempts != 0 || job.Position != i+1 {
			t.Errorf("got position %d and %d attempts, want %d and none", job.Position, job.Attempts, i+1)
		}
	}
	for _, name := range []string{"new", "newer"} {
		if refused := p.refuses(domain.CodeProverUnavailable, key("a", "k"), idempotencyKey(name), body(transaction("0x1"))); refused.RetryAfter != pause {
			t.Errorf("%s: got Retry-After %s, want %s", name, refused.RetryAfter, pause)
		}
	}
	close(held)
	for ended := 0; ended < len(jobs); {
		if status := <-p.moves; status.Terminal() {
			ended++
		}
	}
	for _, job := range jobs {
		if got := p.has(job.ID, prove.Succeeded); got.Attempts != 1 {
			t.Errorf("got %d attempts, want 1", got.Attempts)
		}
	}
	d.received(4)
}

// opens makes an attempt that opens the circuit, and waits until its pause is over.
func opens(t *testing.T, upstream *prover.Client) {
	t.Helper()
	attempt, ok := upstream.Reserve(t.Context())
	if !ok {
		t.Fatal("got no permit, want one of a closed circuit")
	}
	if got := attempt.Prove(t.Context(), prove.Conceal(body(transaction("0x1")))); got.Status != prove.UnknownDelivery {
		t.Fatalf("got %s, want %s", got.Status, prove.UnknownDelivery)
	}
	for wait, ready := upstream.Ready(); !ready; wait, ready = upstream.Ready() {
		<-time.After(wait)
	}
}
