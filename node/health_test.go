package node

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"astrolabe/domain/chain"
)

func TestNodeOfAnotherChainIsRefused(t *testing.T) {
	t.Parallel()
	clock := newFakeClock()
	n := newFakeNode(t)
	n.on("starknet_chainId", result(`"0x534e5f4d41494e"`))
	p := openPool(t, func(o *Options) { o.clock = clock }, n)
	for range 3 {
		if _, err := p.Head(t.Context()); !errors.Is(err, chain.ErrWrongChain) {
			t.Fatalf("Head failed with %v", err)
		}
	}
	if asked, checked := len(n.calls(head)), len(n.calls("starknet_chainId")); asked != 0 || checked != 1 {
		t.Errorf("the node was asked %d times and checked %d times", asked, checked)
	}
	n.on("starknet_chainId", result(`"0x534e5f5345504f4c4941"`))
	clock.advance(longestPause)
	if _, err := p.Head(t.Context()); err != nil {
		t.Errorf("once it answers for the right chain: %v", err)
	}
}

func TestNodeOfAnotherChainIsPassedOver(t *testing.T) {
	t.Parallel()
	wrong, right := newFakeNode(t), newFakeNode(t)
	wrong.on("starknet_chainId", result(`"0x534e5f4d41494e"`))
	p := openPool(t, nil, wrong, right)
	if got, err := p.Head(t.Context()); err != nil || got != headOfFake {
		t.Fatalf("Head = %v, %v", got, err)
	}
}

func TestOnlySupportedSpecificationsAreSpoken(t *testing.T) {
	t.Parallel()
	for spec, want := range map[string]error{
		"0.10.0": nil, "0.10.2": nil, "0.10.3-rc.2": nil, "0.11.0": nil, "1.0.0": nil,
		"0.9.0": ErrUnsupportedSpec, "0.8.1": ErrUnsupportedSpec, "0.9.99-rc.1": ErrUnsupportedSpec,
		"": ErrInvalidAnswer, "0.10": ErrInvalidAnswer, "v0.10.2": ErrInvalidAnswer, "0.10.2.1": ErrInvalidAnswer,
	} {
		n := newFakeNode(t)
		n.on("starknet_specVersion", result(fmt.Sprintf("%q", spec)))
		p := openPool(t, nil, n)
		if _, err := p.Head(t.Context()); !errors.Is(err, want) {
			t.Errorf("a node that speaks %q: %v", spec, err)
		}
	}
}

func TestErrorOfAnIdentityCheckIsNotTheCallersAnswer(t *testing.T) {
	t.Parallel()
	n := newFakeNode(t)
	n.on("starknet_specVersion", nodeError)
	p := openPool(t, nil, n)
	_, err := p.Forward(t.Context(), Request{Method: "starknet_addInvokeTransaction", Write: true})
	if isRPCError(err) || !errors.Is(err, ErrNotSent) {
		t.Errorf("the write failed with %v", err)
	}
}

func TestIdentityIsProvenOnceAndAgainLater(t *testing.T) {
	t.Parallel()
	clock := newFakeClock()
	n := newFakeNode(t)
	p := openPool(t, func(o *Options) { o.clock = clock }, n)
	done := make(chan error)
	for range 8 {
		go func() { _, err := p.Head(t.Context()); done <- err }()
	}
	for range 8 {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
	if checked := len(n.calls("starknet_chainId")); checked != 1 {
		t.Errorf("eight calls checked the identity %d times", checked)
	}
	clock.advance(p.options.timing.recheck)
	n.on("starknet_chainId", result(`"0x534e5f4d41494e"`))
	if _, err := p.Head(t.Context()); !errors.Is(err, chain.ErrWrongChain) {
		t.Errorf("after the node changed its chain: %v", err)
	}
}

func TestCircuitOpensAndHeals(t *testing.T) {
	t.Parallel()
	clock := newFakeClock()
	n := newFakeNode(t)
	n.on(head, status(500))
	var log logBuffer
	p := openPool(t, func(o *Options) { o.clock, o.Logger = clock, log.logger() }, n)
	for range faultsToOpen {
		_, _ = p.Head(t.Context())
	}
	for range 3 {
		_, err := p.Head(t.Context())
		unavailable, ok := errors.AsType[*Unavailable](err)
		if !ok || unavailable.RetryAfter() != firstPause {
			t.Fatalf("while the circuit is open: %v", err)
		}
	}
	if asked := len(n.calls(head)); asked != faultsToOpen {
		t.Errorf("the node was asked %d times", asked)
	}

	clock.advance(firstPause)
	_, _ = p.Head(t.Context())
	_, err := p.Head(t.Context())
	if unavailable, ok := errors.AsType[*Unavailable](err); !ok || unavailable.RetryAfter() != 2*firstPause {
		t.Errorf("after a failed trial: %v", err)
	}
	if asked := len(n.calls(head)); asked != faultsToOpen+1 {
		t.Errorf("the trial asked the node %d times", asked-faultsToOpen)
	}

	clock.advance(2 * firstPause)
	n.on(head, result(`{"block_hash":"0xabc","block_number":100}`))
	for range 3 {
		if _, err := p.Head(t.Context()); err != nil {
			t.Errorf("a healthy node: %v", err)
		}
	}
	if healed := strings.Count(log.String(), "node recovered"); healed != 1 {
		t.Errorf("the log reports %d recoveries, want 1:\n%s", healed, log.String())
	}
}

func TestIdentityIsProvenAgainAfterAFault(t *testing.T) {
	t.Parallel()
	n := newFakeNode(t)
	n.on(head, status(500))
	p := openPool(t, nil, n)
	_, _ = p.Head(t.Context())
	n.on("starknet_chainId", result(`"0x534e5f4d41494e"`))
	if _, err := p.Head(t.Context()); !errors.Is(err, chain.ErrWrongChain) {
		t.Errorf("a node that came back as another: %v", err)
	}
}

func TestOpenCircuitLetsOneTrialThrough(t *testing.T) {
	t.Parallel()
	var c circuit
	now := newFakeClock().Now()
	reason := errors.New("why")
	if !c.failed(now, reason, 3*time.Second) {
		t.Fatal("a wish to be left alone does not open the circuit")
	}
	if pause, err := c.ask(now.Add(time.Second)); !errors.Is(err, reason) || pause != 2*time.Second {
		t.Errorf("while open: %v, %v", pause, err)
	}
	if c.succeeded() {
		t.Error("a late success of an older attempt closes the circuit")
	}
	later := now.Add(3 * time.Second)
	if _, err := c.ask(later); err != nil {
		t.Errorf("the trial: %v", err)
	}
	if _, err := c.ask(later); err == nil {
		t.Error("a second trial at the same time")
	}
	c.withdrawn()
	if _, err := c.ask(later); err != nil {
		t.Errorf("a trial after one that was given up: %v", err)
	}
	if c.failed(later, reason, 0) {
		t.Error("a failed trial newly opens what is open")
	}
	if pause, _ := c.ask(later); pause != 6*time.Second {
		t.Errorf("after a failed trial it pauses %v", pause)
	}
	if _, err := c.ask(later.Add(6 * time.Second)); err != nil || !c.succeeded() {
		t.Errorf("a trial that succeeds: %v", err)
	}
	if _, err := c.ask(later); err != nil {
		t.Errorf("once closed: %v", err)
	}
}

func TestPauseOfACircuitIsBounded(t *testing.T) {
	t.Parallel()
	var c circuit
	now := newFakeClock().Now()
	c.failed(now, errors.New("why"), 24*time.Hour)
	for range 10 {
		now = now.Add(longestPause)
		if _, err := c.ask(now); err != nil {
			t.Fatalf("after the longest pause: %v", err)
		}
		c.failed(now, errors.New("why"), 0)
	}
}

func TestRetryAfterIsRespected(t *testing.T) {
	t.Parallel()
	clock := newFakeClock()
	n := newFakeNode(t)
	n.on(head, status(429, "Retry-After", "20"))
	p := openPool(t, func(o *Options) { o.clock = clock }, n)
	_, _ = p.Head(t.Context())
	n.on(head, result(`{"block_hash":"0xabc","block_number":100}`))
	clock.advance(19 * time.Second)
	if _, err := p.Head(t.Context()); err == nil {
		t.Error("the node was asked too early")
	}
	clock.advance(time.Second)
	if _, err := p.Head(t.Context()); err != nil {
		t.Errorf("after the time it asked for: %v", err)
	}
}

func TestRetryAfterReadsBothForms(t *testing.T) {
	t.Parallel()
	now := newFakeClock().Now()
	for header, want := range map[string]time.Duration{
		"20": 20 * time.Second, "": 0, "-1": 0, "soon": 0, "99999999999999": 0,
		"Thu, 01 Jan 2026 00:00:09 GMT": 9 * time.Second,
		"Thu, 01 Jan 2015 00:00:09 GMT": 0,
	} {
		if got := retryAfter(header, now); got != want {
			t.Errorf("retryAfter(%q) = %v", header, got)
		}
	}
}

func TestUpstreamThatIsBehindIsAskedLast(t *testing.T) {
	t.Parallel()
	clock := newFakeClock()
	stale, fresh := newFakeNode(t), newFakeNode(t)
	stale.on("starknet_blockNumber", result(`0`))
	p := openPool(t, func(o *Options) { o.clock = clock }, stale, fresh)
	if _, err := p.Head(t.Context()); err != nil {
		t.Fatal(err)
	}
	until(t, "the survey sees that the first node is behind", func() bool { return p.upstreams[0].behind.Load() })
	// The survey may have ended before the first call chose a node.
	staleBefore, freshBefore := len(stale.calls(head)), len(fresh.calls(head))
	if _, err := p.Head(t.Context()); err != nil {
		t.Fatal(err)
	}
	if asked := len(stale.calls(head)) - staleBefore; asked != 0 {
		t.Errorf("the node that is behind: %d calls, want none", asked)
	}
	if asked := len(fresh.calls(head)) - freshBefore; asked != 1 {
		t.Errorf("the node that is not behind: %d calls, want 1", asked)
	}
	fresh.on(head, status(500))
	if _, err := p.Head(t.Context()); err != nil {
		t.Errorf("the node that is behind is not asked at all: %v", err)
	}
	stale.on("starknet_blockNumber", result(`96`))
	clock.advance(p.options.timing.survey)
	_, _ = p.Head(t.Context())
	until(t, "the survey sees that the first node caught up", func() bool { return !p.upstreams[0].behind.Load() })
}
