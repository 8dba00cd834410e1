package node

import (
	"errors"
	"strings"
	"testing"
	"time"
)

var errWhy = errors.New("why")

// attempt begins an attempt, which the circuit must allow.
func (c *circuit) attempt(t *testing.T, now time.Time) (round uint64) {
	t.Helper()
	round, pause, err := c.ask(now)
	if err != nil {
		t.Fatalf("got a pause of %v by %v, want the attempt allowed", pause, err)
	}
	return round
}

// paused expects that the circuit rejects attempts until the given time.
func (c *circuit) paused(t *testing.T, now time.Time, want time.Duration) {
	t.Helper()
	if _, pause, err := c.ask(now); pause != want || !errors.Is(err, errWhy) {
		t.Errorf("got a pause of %v by %v, want %v by %v", pause, err, want, errWhy)
	}
}

func TestFifthConsecutiveFaultOpensTheCircuit(t *testing.T) {
	t.Parallel()
	var c circuit
	now := newFakeClock().Now()
	for fault := range 4 {
		if c.failed(c.attempt(t, now), now, errWhy, 0) {
			t.Fatalf("fault %d: got the circuit open, want it closed", fault+1)
		}
	}
	if !c.failed(c.attempt(t, now), now, errWhy, 0) {
		t.Error("fifth fault: got the circuit closed, want it open")
	}
	c.paused(t, now, time.Second)
}

func TestSuccessResetsTheFaultCount(t *testing.T) {
	t.Parallel()
	var c circuit
	now := newFakeClock().Now()
	for attempt := range 12 {
		if attempt%4 == 0 && c.succeeded(c.attempt(t, now)) {
			t.Error("success: got the circuit changed, want it closed as before")
		}
		if c.failed(c.attempt(t, now), now, errWhy, 0) {
			t.Fatalf("fault %d: got the circuit open, want it closed: never five in a row", attempt+1)
		}
	}
}

// TestAttemptOfAnEarlierRoundDoesNotChangeTheCircuit ends attempts that began before
// the circuit opened: during the pause, during the trial and after it.
func TestAttemptOfAnEarlierRoundDoesNotChangeTheCircuit(t *testing.T) {
	t.Parallel()
	late := errors.New("late")
	for name, end := range map[string]func(c *circuit, round uint64, now time.Time) bool{
		"a failure":    func(c *circuit, round uint64, now time.Time) bool { return c.failed(round, now, late, time.Minute) },
		"a refusal":    func(c *circuit, round uint64, now time.Time) bool { return c.refused(round, now, late) },
		"a success":    func(c *circuit, round uint64, _ time.Time) bool { return c.succeeded(round) },
		"a withdrawal": func(c *circuit, round uint64, _ time.Time) bool { c.withdrawn(round); return false },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var c circuit
			now := newFakeClock().Now()
			old := c.attempt(t, now)
			c.failed(c.attempt(t, now), now, errWhy, 4*time.Second)
			now = now.Add(3 * time.Second)
			if end(&c, old, now) {
				t.Error("during the pause: got the circuit changed, want it open as before")
			}
			c.paused(t, now, time.Second)
			now = now.Add(time.Second)
			trial := c.attempt(t, now)
			if end(&c, old, now) {
				t.Error("during the trial: got the circuit changed, want the trial to decide")
			}
			c.paused(t, now, 0)
			if !c.succeeded(trial) {
				t.Error("after a successful trial: got the circuit open, want it closed")
			}
			for range 4 {
				c.failed(c.attempt(t, now), now, errWhy, 0)
			}
			if end(&c, old, now) {
				t.Error("after the trial: got the circuit changed, want it closed as before")
			}
			if !c.failed(c.attempt(t, now), now, errWhy, 0) {
				t.Error("fifth fault: got the circuit closed, want it open")
			}
		})
	}
}

func TestCircuitOpensAndCloses(t *testing.T) {
	t.Parallel()
	clock := newFakeClock()
	n := newFakeNode(t)
	n.on(head, status(500))
	var log logBuffer
	p := openPool(t, func(o *Options) { o.clock, o.Logger = clock, log.logger() }, n)
	for range 5 {
		_, _ = p.Head(t.Context())
	}
	for range 3 {
		_, err := p.Head(t.Context())
		unavailable, ok := errors.AsType[*Unavailable](err)
		if !ok || unavailable.RetryAfter() != firstPause {
			t.Fatalf("while the circuit is open: got %v, want Unavailable with a Retry-After of %v", err, firstPause)
		}
	}
	if calls := len(n.calls(head)); calls != 5 {
		t.Errorf("got %d calls, want 5", calls)
	}

	clock.advance(firstPause)
	_, _ = p.Head(t.Context())
	_, err := p.Head(t.Context())
	if unavailable, ok := errors.AsType[*Unavailable](err); !ok || unavailable.RetryAfter() != 2*firstPause {
		t.Errorf("after a failed trial: got %v, want Unavailable with a Retry-After of %v", err, 2*firstPause)
	}
	if calls := len(n.calls(head)); calls != 6 {
		t.Errorf("got %d calls by the trial, want 1", calls-5)
	}

	clock.advance(2 * firstPause)
	n.on(head, result(`{"block_hash":"0xabc","block_number":100}`))
	for range 3 {
		if _, err := p.Head(t.Context()); err != nil {
			t.Errorf("a healthy node: got %v, want no error", err)
		}
	}
	if healed := strings.Count(log.String(), "node recovered"); healed != 1 {
		t.Errorf("got %d recoveries in the log, want 1:\n%s", healed, log.String())
	}
}

func TestOpenCircuitLetsOneTrialThrough(t *testing.T) {
	t.Parallel()
	var c circuit
	now := newFakeClock().Now()
	if !c.failed(c.attempt(t, now), now, errWhy, 3*time.Second) {
		t.Fatal("Retry-After: got the circuit closed, want it open")
	}
	c.paused(t, now.Add(time.Second), 2*time.Second)
	now = now.Add(3 * time.Second)
	trial := c.attempt(t, now)
	c.paused(t, now, 0)
	c.withdrawn(trial)
	if c.failed(c.attempt(t, now), now, errWhy, 0) {
		t.Error("failed trial: got the circuit newly opened, want it open as before")
	}
	c.paused(t, now, 6*time.Second)
	now = now.Add(6 * time.Second)
	if !c.succeeded(c.attempt(t, now)) {
		t.Error("successful trial: got the circuit open, want it closed")
	}
	c.attempt(t, now)
	c.attempt(t, now)
}

func TestCircuitBackoffIsBounded(t *testing.T) {
	t.Parallel()
	var c circuit
	now := newFakeClock().Now()
	c.failed(c.attempt(t, now), now, errWhy, 24*time.Hour)
	for range 10 {
		c.paused(t, now, time.Minute)
		now = now.Add(time.Minute)
		c.failed(c.attempt(t, now), now, errWhy, 0)
	}
}
