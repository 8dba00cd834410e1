package prove_test

import (
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"astrolabe/domain"
	"astrolabe/domain/account"
	"astrolabe/domain/prove"
	"astrolabe/domain/secret"
)

func TestNewKeyQueuesAJob(t *testing.T) {
	t.Parallel()
	d := newDeployment(t)
	p := d.accepts()
	job := p.submits("one")
	if job.Status != prove.Queued || job.Status.Terminal() || job.Attempts != 0 || job.Position != 1 || !strings.HasPrefix(job.ID, "prv_") ||
		!job.CreatedAt.Equal(noon) || job.CompletedAt != nil || job.Result != prove.NoResult || job.Failure() != nil {
		t.Errorf("got %+v, want a queued job without attempts in the first place", job)
	}
	if used := d.number("used FROM prove_budgets WHERE key_id = 'k' AND day = $1", account.Day(noon)); used != 1 {
		t.Errorf("got a debit of %d, want 1", used)
	}
	if _, err := p.Of(t.Context(), "b", job.ID); domain.CodeOf(err) != domain.CodeNotFound {
		t.Errorf("got %v for another workspace, want %s", err, domain.CodeNotFound)
	}
	if _, err := p.Of(t.Context(), "a", "prv_x"); domain.CodeOf(err) != domain.CodeNotFound {
		t.Errorf("got %v for an ID that no job can have, want %s", err, domain.CodeNotFound)
	}
}

func TestSameKeyWithAnEqualBodyIsAReplay(t *testing.T) {
	t.Parallel()
	d := newDeployment(t)
	p := d.accepts()
	first, _, err := p.Submit(t.Context(), key("a", "k"), idempotencyKey("one"), []byte(`{"block_id":{"block_number":7},"transaction":{"type":"INVOKE","n":[1,25],"x":"a"}}`))
	if err != nil {
		t.Fatal(err)
	}
	for _, equal := range []string{
		`{"transaction":{"x":"a","n":[1,25],"type":"INVOKE"},"block_id":{"block_number":7}}`,
		`{"block_id":{"block_number":7.0},"transaction":{"type":"INVOKE","n":[1.00,2.5e1],"x":"\u0061"}}`,
	} {
		again, admission, err := p.Submit(t.Context(), key("a", "other"), idempotencyKey("one"), []byte(equal))
		if err != nil || admission != prove.Replayed || again.ID != first.ID {
			t.Errorf("%s: got admission %d of %v and %v, want a replay of %s", equal, admission, again, err, first.ID)
		}
	}
	for _, other := range []string{
		`{"block_id":{"block_number":8},"transaction":{"type":"INVOKE","n":[1,25],"x":"a"}}`,
		`{"block_id":{"block_number":7},"transaction":{"type":"INVOKE","n":[25,1],"x":"a"}}`,
		`{"block_id":{"block_number":7},"transaction":{"type":"INVOKE","n":[1,25],"x":"a","y":null}}`,
		`{"block_id":{"block_number":7},"transaction":{"type":"INVOKE","n":["1",25],"x":"a"}}`,
	} {
		p.refuses(domain.CodeIdempotencyKeyReused, key("a", "k"), idempotencyKey("one"), []byte(other))
	}
	if _, admission, err := p.Submit(t.Context(), key("b", "kb"), idempotencyKey("one"), body(transaction("0x2"))); err != nil || admission != prove.Added {
		t.Errorf("got %d and %v, want a job of its own in another workspace", admission, err)
	}
	if jobs, used := d.number("count(*) FROM prove_jobs"), d.number("sum(used) FROM prove_budgets"); jobs != 2 || used != 2 {
		t.Errorf("got %d jobs and %d debits, want 2 of each", jobs, used)
	}
}

func TestAReplayIsFoundUnderEveryDigestKey(t *testing.T) {
	t.Parallel()
	d := newDeployment(t)
	p := d.accepts()
	job := p.submits("one")
	d.keys.Store(&[]secret.Material{{2}, {1}})
	again, admission, err := p.Submit(t.Context(), key("a", "k"), idempotencyKey("one"), body(transaction("0x1")))
	if err != nil || admission != prove.Replayed || again.ID != job.ID {
		t.Errorf("got admission %d and %v, want a replay after a rotation", admission, err)
	}
	p.refuses(domain.CodeIdempotencyKeyReused, key("a", "k"), idempotencyKey("one"), body(transaction("0x2")))
}

// TestDigestsAreKeyed stores the same submission under two keys: who reads the
// table cannot guess a body without the key.
func TestDigestsAreKeyed(t *testing.T) {
	t.Parallel()
	d := newDeployment(t)
	p := d.accepts()
	p.submits("one")
	d.keys.Store(&[]secret.Material{{2}})
	p.submits("one") // under a key that is not known, the job is not found
	for _, column := range []string{"idempotency_digest", "request_digest"} {
		if n := d.number("count(DISTINCT " + column + ") FROM prove_jobs"); n != 2 {
			t.Errorf("got %d values of %s, want one for each key", n, column)
		}
	}
}

// TestConcurrentDuplicatesAreOneJob submits the same body 1,000 times at the same
// moment to two processes.
func TestConcurrentDuplicatesAreOneJob(t *testing.T) {
	t.Parallel()
	d := newDeployment(t)
	processes := []*process{d.runs(), d.runs()}
	released := make(chan struct{})
	var added, replayed atomic.Int32
	var ids sync.Map
	var all sync.WaitGroup
	for i := range 1000 {
		all.Go(func() {
			<-released
			job, admission, err := processes[i%2].Submit(t.Context(), key("a", "k"), idempotencyKey("one"), body(transaction("0x1")))
			if err != nil {
				t.Errorf("got %v, want the job", err)
				return
			}
			ids.Store(job.ID, true)
			if admission == prove.Added {
				added.Add(1)
			} else {
				replayed.Add(1)
			}
		})
	}
	close(released)
	all.Wait()
	d.arrives(1)
	distinct := 0
	ids.Range(func(any, any) bool { distinct++; return true })
	if added.Load() != 1 || replayed.Load() != 999 || distinct != 1 {
		t.Errorf("got %d new jobs, %d replays and %d IDs, want 1, 999 and 1", added.Load(), replayed.Load(), distinct)
	}
	if jobs, used := d.number("count(*) FROM prove_jobs"), d.number("sum(used) FROM prove_budgets"); jobs != 1 || used != 1 {
		t.Errorf("got %d jobs and %d debits, want 1 of each", jobs, used)
	}
	for _, p := range processes {
		p.stop()
	}
	d.received(1)
	if attempts := d.number("attempt_count FROM prove_jobs"); attempts != 1 {
		t.Errorf("got %d attempts, want 1", attempts)
	}
}

func TestMalformedKeysAreRefused(t *testing.T) {
	t.Parallel()
	d := newDeployment(t)
	p := d.accepts()
	p.refuses(domain.CodeIdempotencyKeyRequired, key("a", "k"), "", body(transaction("0x1")))
	for _, malformed := range []string{
		strings.Repeat("k", 15), strings.Repeat("k", 129), strings.Repeat("k", 15) + " ", " " + strings.Repeat("k", 16),
		strings.Repeat("k", 16) + `"`, strings.Repeat("k", 16) + "\x7f", strings.Repeat("k", 16) + "\t", strings.Repeat("k", 16) + "é",
	} {
		p.refuses(domain.CodeInvalidIdempotencyKey, key("a", "k"), malformed, body(transaction("0x1")))
	}
	for _, good := range []string{strings.Repeat("k", 16), strings.Repeat("~", 128), "!#$%&'()*+,-./:;<=>?@[\\]^_`{|}~"} {
		if err := prove.CheckKey(good); err != nil {
			t.Errorf("%s: got %v, want it accepted", good, err)
		}
	}
}

func TestOnlyKeysWithTheScopeMaySubmit(t *testing.T) {
	t.Parallel()
	d := newDeployment(t)
	p := d.accepts()
	without := key("a", "k")
	without.Permissions = []account.Permission{account.Read, account.Write}
	session := key("a", "k")
	session.Kind = account.BySession
	p.refuses(domain.CodeForbidden, without, idempotencyKey("one"), body(transaction("0x1")))
	p.refuses(domain.CodeForbidden, session, idempotencyKey("one"), body(transaction("0x1")))
	p.refuses(domain.CodeUnauthorized, nil, idempotencyKey("one"), body(transaction("0x1")))
}

// TestBudgetsRefuseMoreWithTheirDelay reaches each limit, and checks that a replay
// is answered nevertheless and nothing is counted for a refusal.
func TestBudgetsRefuseMoreWithTheirDelay(t *testing.T) {
	t.Parallel()
	d := newDeployment(t)
	p := d.accepts(func(o *prove.Options) {
		o.Queue = 3
		o.Budget = prove.Budget{Concurrent: 2, Daily: 99}
	})
	narrow, wide := key("a", "k"), key("b", "wide")
	narrow.Budgets, wide.Budgets = account.Budgets{account.ProveDaily: 3}, account.Budgets{account.ProveConcurrent: 9}
	waits := func(code domain.Code, caller *account.Caller, after time.Duration) {
		t.Helper()
		if refused := p.refuses(code, caller, idempotencyKey("more"), body(transaction("0x9"))); refused.RetryAfter != after {
			t.Errorf("%s: got Retry-After %s, want %s", code, refused.RetryAfter, after)
		}
	}
	p.submits("one")
	p.submits("two")
	waits(domain.CodeProverKeyConcurrency, narrow, 5*time.Second)
	if _, _, err := p.Submit(t.Context(), wide, idempotencyKey("three"), body(transaction("0x3"))); err != nil {
		t.Fatal(err)
	}
	waits(domain.CodeProverQueueFull, wide, 30*time.Second)
	d.do("UPDATE prove_jobs SET status = 5, completed_at = now()")
	p.submits("four")
	waits(domain.CodeProverDailyBudget, narrow, 12*time.Hour)
	if _, admission, err := p.Submit(t.Context(), narrow, idempotencyKey("four"), body(transaction("0x1"))); err != nil || admission != prove.Replayed {
		t.Errorf("got %d and %v, want a replay whatever the budget", admission, err)
	}
	if used := d.number("used FROM prove_budgets WHERE key_id = 'k'"); used != 3 {
		t.Errorf("got %d debits of the key, want 3", used)
	}
	d.passes(12 * time.Hour)
	p.submits("five")
}

func TestTheUsualLimitsAreThoseOfTheContract(t *testing.T) {
	t.Parallel()
	if prove.UsualBudget != (prove.Budget{Concurrent: 2, Daily: 50}) || prove.UsualQueue != 64 || prove.ResultLife != 15*time.Minute ||
		prove.DigestLife != 30*24*time.Hour || prove.PollAfter != 5*time.Second || prove.MaxBody != 1<<20 {
		t.Errorf("got %+v, %d, %s, %s, %s and %d, want the numbers of the contract",
			prove.UsualBudget, prove.UsualQueue, prove.ResultLife, prove.DigestLife, prove.PollAfter, prove.MaxBody)
	}
}

func TestJobsKeepTheirPlaceInTheQueue(t *testing.T) {
	t.Parallel()
	d := newDeployment(t)
	p := d.accepts(func(o *prove.Options) {
		o.Concurrent = 1
		o.Budget = prove.Budget{Concurrent: 9, Daily: 9}
	})
	var jobs []*prove.Job
	for i := range 4 {
		job, _, err := p.Submit(t.Context(), key("a", "k"), idempotencyKey(fmt.Sprint("job ", i)[4:]), body(transaction(fmt.Sprintf("0x%d", i))))
		if err != nil || job.Position != i+1 {
			t.Fatalf("got position %d and %v, want %d", job.Position, err, i+1)
		}
		jobs = append(jobs, job)
	}
	held := make(chan struct{})
	d.sim.Script(holding(held))
	p.run()
	d.arrives(1)
	if job := p.has(jobs[0].ID, prove.Dispatched); job.Position != 0 || job.Attempts != 1 {
		t.Errorf("got position %d and %d attempts, want a dispatched job without a position", job.Position, job.Attempts)
	}
	for i, job := range jobs[1:] {
		if got := p.has(job.ID, prove.Queued).Position; got != i+1 {
			t.Errorf("got position %d, want %d", got, i+1)
		}
	}
	close(held)
	for range jobs {
		p.awaits(prove.Succeeded)
	}
}
