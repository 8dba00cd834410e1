package node

import (
	"errors"
	"strings"
	"testing"
	"time"
)

var errWhy = errors.New("why")

func TestTheFifthFaultInARowOpensTheCircuit(t *testing.T) {
	t.Parallel()
	var c circuit
	now := newFakeClock().Now()
	for fault := range 4 {
		if c.failed(now, errWhy, 0) {
			t.Fatalf("fault %d opened the circuit, want it closed", fault+1)
		}
		if pause, err := c.ask(now); err != nil {
			t.Fatalf("after fault %d: paused for %v by %v, want no pause", fault+1, pause, err)
		}
	}
	if !c.failed(now, errWhy, 0) {
		t.Error("the fifth fault left the circuit closed, want it open")
	}
	if pause, err := c.ask(now); pause != time.Second || !errors.Is(err, errWhy) {
		t.Errorf("after the fifth fault: paused for %v by %v, want 1s by %v", pause, err, errWhy)
	}
}

func TestASuccessForgetsTheFaultsBeforeIt(t *testing.T) {
	t.Parallel()
	var c circuit
	now := newFakeClock().Now()
	for attempt := range 12 {
		if attempt%4 == 0 {
			c.succeeded()
		}
		if c.failed(now, errWhy, 0) {
			t.Fatalf("fault %d opened the circuit, want it closed: never five in a row", attempt+1)
		}
	}
}

// TestAFailureFromBeforeThePauseDoesNotProlongIt lets calls fail that were
// under way when another one opened the circuit.
func TestAFailureFromBeforeThePauseDoesNotProlongIt(t *testing.T) {
	t.Parallel()
	var c circuit
	now := newFakeClock().Now()
	c.failed(now, errWhy, 4*time.Second)
	late := now.Add(3 * time.Second)
	if c.failed(late, errors.New("late"), time.Minute) {
		t.Error("a late failure newly opened the circuit, want it open already")
	}
	if pause, err := c.ask(late); pause != time.Second || !errors.Is(err, errWhy) {
		t.Errorf("after a late failure: paused for %v by %v, want 1s by %v", pause, err, errWhy)
	}
	if pause, err := c.ask(now.Add(4 * time.Second)); err != nil {
		t.Errorf("at the end of the pause: paused for %v by %v, want a trial", pause, err)
	}
}

func TestCircuitOpensAndHeals(t *testing.T) {
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
	if asked := len(n.calls(head)); asked != 5 {
		t.Errorf("the node was asked %d times, want 5", asked)
	}

	clock.advance(firstPause)
	_, _ = p.Head(t.Context())
	_, err := p.Head(t.Context())
	if unavailable, ok := errors.AsType[*Unavailable](err); !ok || unavailable.RetryAfter() != 2*firstPause {
		t.Errorf("after a failed trial: got %v, want Unavailable with a Retry-After of %v", err, 2*firstPause)
	}
	if asked := len(n.calls(head)); asked != 6 {
		t.Errorf("the trial asked the node %d times, want once", asked-5)
	}

	clock.advance(2 * firstPause)
	n.on(head, result(`{"block_hash":"0xabc","block_number":100}`))
	for range 3 {
		if _, err := p.Head(t.Context()); err != nil {
			t.Errorf("a healthy node: got %v, want no error", err)
		}
	}
	if healed := strings.Count(log.String(), "is back"); healed != 1 {
		t.Errorf("the log tells %d times that the node is back, want once:\n%s", healed, log.String())
	}
}

func TestOpenCircuitLetsOneTrialThrough(t *testing.T) {
	t.Parallel()
	var c circuit
	now := newFakeClock().Now()
	if !c.failed(now, errWhy, 3*time.Second) {
		t.Fatal("a wish to be left alone left the circuit closed, want it open")
	}
	if pause, err := c.ask(now.Add(time.Second)); !errors.Is(err, errWhy) || pause != 2*time.Second {
		t.Errorf("while open: paused for %v by %v, want 2s by %v", pause, err, errWhy)
	}
	if c.succeeded() {
		t.Error("a late success of an older attempt closed the circuit, want it open")
	}
	later := now.Add(3 * time.Second)
	if _, err := c.ask(later); err != nil {
		t.Errorf("the trial: got %v, want no error", err)
	}
	if _, err := c.ask(later); err == nil {
		t.Error("a second trial at the same time was let through, want it refused")
	}
	c.withdrawn()
	if _, err := c.ask(later); err != nil {
		t.Errorf("a trial after one that was given up: got %v, want no error", err)
	}
	if c.failed(later, errWhy, 0) {
		t.Error("a failed trial newly opened the circuit, want it open already")
	}
	if pause, _ := c.ask(later); pause != 6*time.Second {
		t.Errorf("after a failed trial: paused for %v, want 6s", pause)
	}
	if _, err := c.ask(later.Add(6 * time.Second)); err != nil {
		t.Errorf("the next trial: got %v, want no error", err)
	}
	if !c.succeeded() {
		t.Error("a trial that succeeded left the circuit open, want it closed")
	}
	if _, err := c.ask(later); err != nil {
		t.Errorf("once closed: got %v, want no error", err)
	}
}

func TestPauseOfACircuitIsBounded(t *testing.T) {
	t.Parallel()
	var c circuit
	now := newFakeClock().Now()
	c.failed(now, errWhy, 24*time.Hour)
	for range 10 {
		now = now.Add(longestPause)
		if _, err := c.ask(now); err != nil {
			t.Fatalf("after the longest pause: got %v, want a trial", err)
		}
		c.failed(now, errWhy, 0)
	}
}
