package prove_test

import (
	"runtime"
	"testing"
	"time"

	"astrolabe/domain"
	"astrolabe/domain/prove"
	store "astrolabe/repo/prove"
	sim "astrolabe/sim/prover"
)

func (p *process) keepsUp() {
	p.d.Helper()
	if err := p.Upkeep(p.d.Context()); err != nil {
		p.d.Fatal(err)
	}
}

// resubmits repeats the submission of a job, which must be queued again.
func (p *process) resubmits(name, id string) *prove.Job {
	p.d.Helper()
	job, admission, err := p.Submit(p.d.Context(), key("a", "k"), idempotencyKey(name), body(transaction("0x1")))
	if err != nil || admission != prove.Requeued || job.ID != id || job.Status != prove.Queued || job.CompletedAt != nil {
		p.d.Fatalf("got admission %d of %+v and %v, want %s queued again", admission, job, err, id)
	}
	return job
}

func TestUnavailableJobsAreQueuedAgainWithoutADebit(t *testing.T) {
	t.Parallel()
	d := newDeployment(t)
	p := d.runs()
	d.sim.Script(sim.Replies["busy"], sim.Replies["internal"])
	id := p.submits("one").ID
	p.awaits(prove.Unavailable)
	p.resubmits("one", id)
	p.awaits(prove.Unavailable)
	p.refuses(domain.CodeIdempotencyKeyReused, key("a", "k"), idempotencyKey("one"), body(transaction("0x2")))
	p.resubmits("one", id)
	p.awaits(prove.Succeeded)
	if job, payload := p.polls(id); payload == nil || job.Attempts != 3 {
		t.Errorf("got %d attempts and the result %v, want 3 and a result", job.Attempts, payload)
	}
	if used := d.number("sum(used) FROM prove_budgets"); used != 1 {
		t.Errorf("got %d debits, want 1", used)
	}
	d.received(3)
}

// TestJobsThatAreQueuedAgainNeedAPlace holds a repeated submission to the limits
// of concurrency and of the queue, but not to the day's budget.
func TestJobsThatAreQueuedAgainNeedAPlace(t *testing.T) {
	t.Parallel()
	d := newDeployment(t)
	p := d.accepts(func(o *prove.Options) { o.Queue = 3 })
	id := p.submits("one").ID
	d.do("UPDATE prove_jobs SET status = 4, completed_at = now()")
	d.do("UPDATE prove_budgets SET used = 50")
	p.resubmits("one", id)
	d.do("UPDATE prove_jobs SET status = 4, completed_at = now()")
	d.do("UPDATE prove_budgets SET used = 1")
	p.submits("two")
	p.submits("three")
	p.refuses(domain.CodeProverKeyConcurrency, key("a", "k"), idempotencyKey("one"), body(transaction("0x1")))
	d.do("UPDATE prove_jobs SET key_id = 'other' WHERE id <> $1", id)
	d.do(`INSERT INTO prove_jobs (id, workspace, key_id, status, attempt_count, result_state, holder, holder_address, created_at, queued_at)
		VALUES ('x', 'b', 'kb', 0, 0, 0, 'far', '', now(), now())`)
	p.refuses(domain.CodeProverQueueFull, key("a", "k"), idempotencyKey("one"), body(transaction("0x1")))
}

// TestASilentHolderCannotWrite lets another process end the jobs of a holder that
// pauses, and then lets the holder go on.
func TestASilentHolderCannotWrite(t *testing.T) {
	t.Parallel()
	d := newDeployment(t)
	held := make(chan struct{})
	d.sim.Script(holding(held))
	changes := newFailing(d)
	changes.silent.Store(true)
	paused := d.on(changes, func(o *prove.Options) { o.Concurrent = 1 }).run()
	sent := paused.submits("sent").ID
	d.arrives(1)
	<-changes.changed
	waiting := paused.submits("waiting").ID

	peer := d.accepts()
	d.silence(prove.Silence - time.Second)
	peer.keepsUp()
	peer.has(sent, prove.Dispatched)
	peer.has(waiting, prove.Queued)
	d.silence(2 * time.Second)
	peer.keepsUp()
	peer.has(sent, prove.UnknownDelivery)
	if job := peer.has(waiting, prove.Unavailable); job.CompletedAt == nil || job.Attempts != 0 {
		t.Errorf("got %+v, want a completed job without attempts", job)
	}
	queued := peer.resubmits("waiting", waiting)

	close(held) // the holder gets its answer, and goes on to the next job
	<-changes.changed
	<-changes.changed
	if job, payload := paused.polls(sent); job.Status != prove.UnknownDelivery || payload != nil {
		t.Errorf("got %s with the result %v, want %s without", job.Status, payload, prove.UnknownDelivery)
	}
	if left := paused.Stats(); left.Results != 0 {
		t.Errorf("got %d results in memory, want that of the ended job dropped", left.Results)
	}
	if job := peer.has(waiting, prove.Queued); job.Place != queued.Place || job.Attempts != 0 {
		t.Errorf("got %+v, want the job still queued at its new holder", job)
	}
	d.received(1)
	paused.stop()
	peer.run()
	peer.awaits(prove.Succeeded)
	d.received(2)
	peer.refuses(domain.CodeIdempotencyKeyReused, key("a", "k"), idempotencyKey("sent"), body(transaction("0x2")))
	if _, admission, err := peer.Submit(t.Context(), key("a", "k"), idempotencyKey("sent"), body(transaction("0x1"))); err != nil || admission != prove.Replayed {
		t.Errorf("got %d and %v, want unknown delivery only replayed", admission, err)
	}
}

// TestAResultIsLostWithItsHolder ends the result of a holder that is gone, and
// that of one that only paused.
func TestAResultIsLostWithItsHolder(t *testing.T) {
	t.Parallel()
	d := newDeployment(t)
	silent := newFailing(d)
	silent.silent.Store(true)
	holder, peer := d.on(silent).run(), d.accepts()
	id := holder.submits("one").ID
	holder.awaits(prove.Succeeded)
	d.silence(prove.Silence + time.Second)
	peer.keepsUp()
	if job := peer.has(id, prove.Succeeded); job.Result != prove.Expired {
		t.Errorf("got the result %s, want it expired", job.Result)
	}
	if job, payload := holder.polls(id); payload != nil || !job.ResultGone() {
		t.Errorf("got %v, want no result from a holder that was declared dead", payload)
	}
	if payload, err := holder.Deliver(t.Context(), id); payload != nil || err != nil {
		t.Errorf("got %v and %v, want nothing", payload, err)
	}
}

func TestAHeartbeatKeepsJobsAndDropsSweptOnes(t *testing.T) {
	t.Parallel()
	d := newDeployment(t)
	holder, peer := d.accepts(), d.accepts()
	kept, lost := holder.submits("kept").ID, holder.submits("lost").ID
	d.silence(prove.Silence + time.Second)
	d.do("UPDATE prove_jobs SET heartbeat_at = now() WHERE id = $1", kept)
	peer.keepsUp()
	d.silence(prove.Silence - time.Second)
	holder.keepsUp()
	if left := holder.Stats(); left.Waiting != 1 {
		t.Errorf("got %d bodies in memory, want the one of the job that is left", left.Waiting)
	}
	d.silence(2 * time.Second) // since the heartbeat
	peer.keepsUp()
	peer.has(kept, prove.Queued)
	peer.has(lost, prove.Unavailable)
}

// TestAHeartbeatKeepsResultsUntilTheirDelivery lets a live holder write heartbeats
// while a result and a full error wait.
func TestAHeartbeatKeepsResultsUntilTheirDelivery(t *testing.T) {
	t.Parallel()
	d := newDeployment(t)
	holder, peer := d.runs(), d.accepts()
	d.sim.Script(sim.Succeed(), sim.Replies["55"])
	proof := holder.submits("one").ID
	holder.awaits(prove.Succeeded)
	failed := holder.submits("two").ID
	holder.awaits(prove.Failed)
	for holder.Stats().Active > 0 { // a heartbeat spares what is being dispatched
		runtime.Gosched()
	}
	d.silence(prove.Silence - time.Second)
	holder.keepsUp()
	d.silence(2 * time.Second) // since the heartbeat
	peer.keepsUp()
	for _, id := range []string{proof, failed} {
		if job, payload := holder.polls(id); payload == nil {
			t.Errorf("got a %s job with the result %s, want its content", job.Status, job.Result)
		}
	}
}

// TestAJobWithoutABodyIsSweptByItsOwnHolder stores a job whose acceptance was
// interrupted: its row names a process that does not know it.
func TestAJobWithoutABodyIsSweptByItsOwnHolder(t *testing.T) {
	t.Parallel()
	d := newDeployment(t)
	p := d.accepts()
	known := p.submits("known")
	d.do(`INSERT INTO prove_jobs (id, workspace, key_id, status, attempt_count, result_state, holder, holder_address, created_at, queued_at)
		VALUES ('prv_aaaaaaaaaaaaaaaaaaaaaaaaaa', 'a', 'k', 0, 0, 0, $1, '', now(), now())`, known.Holder.ID)
	d.silence(prove.Silence + time.Second)
	p.keepsUp()
	p.has("prv_aaaaaaaaaaaaaaaaaaaaaaaaaa", prove.Unavailable)
	p.has(known.ID, prove.Queued)
}

// TestShutdownEndsEveryJobTruthfully ends a process with a job at the prover and
// another in the queue.
func TestShutdownEndsEveryJobTruthfully(t *testing.T) {
	t.Parallel()
	d := newDeployment(t)
	d.sim.Script(sim.Hang())
	p := d.runs(func(o *prove.Options) { o.Concurrent, o.Grace = 1, time.Millisecond })
	sent := p.submits("sent").ID
	d.arrives(1)
	waiting := p.submits("waiting").ID
	p.stop()
	p.has(sent, prove.UnknownDelivery)
	p.has(waiting, prove.Unavailable)
	if refused := p.refuses(domain.CodeProverUnavailable, key("a", "k"), idempotencyKey("late"), body(transaction("0x1"))); refused.RetryAfter == 0 {
		t.Errorf("got %v, want a delay", refused)
	}
	if left := p.Stats(); left != (prove.Stats{}) {
		t.Errorf("got %+v in memory, want nothing", left)
	}
	d.runs().resubmits("waiting", waiting)
	d.arrives(2)
}

func TestShutdownWaitsForAnswers(t *testing.T) {
	t.Parallel()
	d := newDeployment(t)
	held := make(chan struct{})
	d.sim.Script(holding(held))
	p := d.runs(func(o *prove.Options) { o.Grace = time.Minute })
	id := p.submits("one").ID
	d.arrives(1)
	stopped := make(chan struct{})
	go func() {
		p.stop()
		close(stopped)
	}()
	close(held)
	<-stopped
	p.has(id, prove.Succeeded)
}

func TestDigestsAreForgottenAfterThirtyDays(t *testing.T) {
	t.Parallel()
	d := newDeployment(t)
	p := d.runs()
	old := p.submits("one").ID
	p.awaits(prove.Succeeded)
	d.passes(prove.DigestLife)
	p.keepsUp()
	if n := d.number("count(*) FROM prove_jobs WHERE idempotency_digest IS NOT NULL AND request_digest IS NOT NULL"); n != 1 {
		t.Errorf("got %d jobs with digests, want 1 at the end of the day", n)
	}
	d.passes(time.Hour + time.Millisecond)
	p.keepsUp()
	if n := d.number("count(*) FROM prove_jobs WHERE idempotency_digest IS NOT NULL OR request_digest IS NOT NULL"); n != 0 {
		t.Errorf("got %d jobs with digests, want none", n)
	}
	if job := p.submits("one"); job.ID == old {
		t.Error("got the old job, want a new one")
	}
	d.passes(48 * time.Hour)
	p.keepsUp()
	if n := d.number("count(*) FROM prove_budgets WHERE day < $1", noon.Add(24*time.Hour)); n != 0 {
		t.Errorf("got %d old budgets, want none", n)
	}
}

func TestStatusesAndResultsAreStoredInTheOrderOfTheSchema(t *testing.T) {
	t.Parallel()
	d := newDeployment(t)
	p := d.accepts()
	id := p.submits("one").ID
	for at, status := range prove.Statuses {
		d.do("UPDATE prove_jobs SET status = $1::int, completed_at = CASE WHEN $1::int >= 2 THEN now() END, error_code = CASE WHEN $1::int = 3 THEN 1 END", at)
		p.has(id, status)
	}
	for at, state := range prove.ResultStates {
		d.do("UPDATE prove_jobs SET status = 2, completed_at = now(), error_code = NULL, result_state = $1", at)
		job, err := store.NewJobs(d.db).Job(t.Context(), id)
		if err != nil || job.Result != state {
			t.Errorf("got %s and %v, want %s", job.Result, err, state)
		}
	}
}
