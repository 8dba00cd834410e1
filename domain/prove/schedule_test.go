package prove_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"astrolabe/domain/prove"
	sim "astrolabe/sim/prover"
)

// TestRandomSchedulesKeepThePromises lets two processes work on the same jobs
// while holders fall silent, come back and stop, and the prover fails in every
// way. Whatever happens, the prover receives a job at most as often as it was
// dispatched, every job ends, each result is delivered at most once, and each job
// is debited once.
func TestRandomSchedulesKeepThePromises(t *testing.T) {
	t.Parallel()
	for seed := range uint64(4) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			s := newSchedule(t, seed)
			for range 120 {
				s.step()
			}
			s.finish()
		})
	}
}

type schedule struct {
	*deployment
	random    *rand.Rand
	processes []*process
	stores    []*failing
	jobs      map[string]string // the ID of each submitted name
	delivered map[string]int
}

func newSchedule(t *testing.T, seed uint64) *schedule {
	t.Helper()
	s := &schedule{deployment: newDeployment(t), random: rand.New(rand.NewPCG(seed, 22)), jobs: map[string]string{}, delivered: map[string]int{}}
	for range 2 {
		s.processes, s.stores = append(s.processes, nil), append(s.stores, nil)
		s.start(len(s.processes) - 1)
	}
	return s
}

// start starts a process in place of another one.
func (s *schedule) start(at int) {
	s.Helper()
	f := newFailing(s.deployment)
	f.failed, f.changed = make(chan struct{}, 10_000), make(chan struct{}, 10_000)
	s.stores[at] = f
	s.processes[at] = s.on(f, func(o *prove.Options) {
		o.Grace = time.Millisecond
		o.Budget = prove.Budget{Concurrent: 50, Daily: 1000}
	}).run()
}

func (s *schedule) step() {
	s.Helper()
	at := s.random.IntN(len(s.processes))
	p := s.processes[at]
	switch act := s.random.IntN(20); {
	case act < 8:
		s.sim.Script([]sim.Reply{
			sim.Succeed(), sim.Succeed(), sim.Replies["55"], sim.Replies["busy"], sim.Replies["internal"], sim.CutRead(), sim.CutUnread(), sim.Truncate(), sim.Status(503),
		}[s.random.IntN(9)])
		s.submit(p, fmt.Sprint(s.random.IntN(12)))
	case act < 14:
		s.poll(p)
	case act < 15: // it writes no heartbeat any more
		s.stores[at].silent.Store(true)
	case act < 16:
		s.stores[at].silent.Store(false)
	case act < 17:
		s.silence(prove.Silence)
	case act < 18:
		_ = p.Upkeep(s.Context()) // fails while it is silent
	case act < 19: // answers to writes are lost
		s.stores[at].after.Store(!s.stores[at].after.Load())
	default:
		s.stores[at].after.Store(false) // it would wait for the database
		p.stop()
		s.start(at)
	}
}

func (s *schedule) submit(p *process, name string) {
	s.Helper()
	job, _, err := p.Submit(s.Context(), key("a", "k"), idempotencyKey(name), body(transaction("0x1"+name)))
	if err != nil { // the circuit is open, or the queue is full
		return
	}
	if known, ok := s.jobs[name]; ok && known != job.ID {
		s.Errorf("%s: got the job %s, want %s", name, job.ID, known)
	}
	s.jobs[name] = job.ID
}

func (s *schedule) poll(p *process) {
	s.Helper()
	for name, id := range s.jobs {
		job, payload, err := p.Poll(s.Context(), "a", id)
		if err == nil && payload != nil {
			s.delivered[name]++
			if job.Status != prove.Succeeded && job.Status != prove.Failed {
				s.Errorf("%s: got a result of a job that is %s, want none", name, job.Status)
			}
		}
	}
}

// finish stops all processes, ends what they left, and checks the promises.
func (s *schedule) finish() {
	s.Helper()
	for i, p := range s.processes {
		s.stores[i].after.Store(false)
		s.poll(p)
		p.stop()
	}
	s.silence(prove.Silence + time.Second)
	last := s.accepts()
	last.keepsUp()
	sent := 0
	for name, id := range s.jobs {
		job, err := last.Of(s.Context(), "a", id)
		if err != nil || !job.Status.Terminal() || job.Result == prove.Held {
			s.Errorf("%s: got %+v and %v, want a job that has ended and holds nothing", name, job, err)
			continue
		}
		all, same := s.sim.Received([]byte(transaction("0x1" + name)))
		sent = all
		if same > job.Attempts {
			s.Errorf("%s: got %d requests at the prover, want at most the %d attempts", name, same, job.Attempts)
		}
		if s.delivered[name] > 1 {
			s.Errorf("%s: got %d deliveries, want at most one", name, s.delivered[name])
		}
	}
	if used := s.number("coalesce(sum(used), 0) FROM prove_budgets"); used != len(s.jobs) {
		s.Errorf("got %d debits, want those of %d jobs", used, len(s.jobs))
	}
	s.Logf("%d jobs, %d requests at the prover, %d deliveries", len(s.jobs), sent, len(s.delivered))
}
