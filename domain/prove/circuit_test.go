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
