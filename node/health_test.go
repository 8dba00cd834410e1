package node

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"astrolabe/domain/chain"
)

func TestNodeOfAnotherChainIsRejected(t *testing.T) {
	t.Parallel()
	clock := newFakeClock()
	n := newFakeNode(t)
	n.on("starknet_chainId", result(`"0x534e5f4d41494e"`))
	p := openPool(t, func(o *Options) { o.clock = clock }, n)
	for range 3 {
		if _, err := p.Head(t.Context()); !errors.Is(err, chain.ErrWrongChain) {
			t.Fatalf("Head failed with %v, want %v", err, chain.ErrWrongChain)
		}
	}
	if calls, checked := len(n.calls(head)), len(n.calls("starknet_chainId")); calls != 0 || checked != 1 {
		t.Errorf("got %d calls and %d identity checks, want none and one", calls, checked)
	}
	n.on("starknet_chainId", result(`"0x534e5f5345504f4c4941"`))
	clock.advance(longestPause)
	if _, err := p.Head(t.Context()); err != nil {
		t.Errorf("once it answers for the right chain: got %v, want no error", err)
	}
}

func TestNodeOfAnotherChainIsSkipped(t *testing.T) {
	t.Parallel()
	wrong, right := newFakeNode(t), newFakeNode(t)
	wrong.on("starknet_chainId", result(`"0x534e5f4d41494e"`))
	p := openPool(t, nil, wrong, right)
	if got, err := p.Head(t.Context()); err != nil || got != headOfFake {
		t.Fatalf("Head = %v, %v, want %v", got, err, headOfFake)
	}
}

func TestUnsupportedSpecificationVersionIsRejected(t *testing.T) {
	t.Parallel()
	for spec, want := range map[string]error{
		"0.10.0": nil, "0.10.2": nil, "0.10.3-rc.2": nil, "0.11.0": nil, "1.0.0": nil,
		"0.9.0": chain.ErrNodeVersion, "0.8.1": chain.ErrNodeVersion, "0.9.99-rc.1": chain.ErrNodeVersion,
		"": ErrInvalidAnswer, "0.10": ErrInvalidAnswer, "v0.10.2": ErrInvalidAnswer, "0.10.2.1": ErrInvalidAnswer,
	} {
		n := newFakeNode(t)
		n.on("starknet_specVersion", result(fmt.Sprintf("%q", spec)))
		p := openPool(t, nil, n)
		if _, err := p.Head(t.Context()); !errors.Is(err, want) {
			t.Errorf("a node that speaks %q: got %v, want %v", spec, err, want)
		}
	}
}

func TestIdentityCheckErrorIsNotReturnedToTheCaller(t *testing.T) {
	t.Parallel()
	n := newFakeNode(t)
	n.on("starknet_specVersion", nodeError)
	p := openPool(t, nil, n)
	_, err := p.Forward(t.Context(), Request{Method: "starknet_addInvokeTransaction", Write: true})
	if isRPCError(err) || !errors.Is(err, ErrNotSent) {
		t.Errorf("the write failed with %v, want %v", err, ErrNotSent)
	}
}

func TestIdentityIsCheckedOnceAndAgainAfterItExpires(t *testing.T) {
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
		t.Errorf("got %d identity checks for eight calls, want 1", checked)
	}
	clock.advance(p.options.timing.recheck)
	n.on("starknet_chainId", result(`"0x534e5f4d41494e"`))
	if _, err := p.Head(t.Context()); !errors.Is(err, chain.ErrWrongChain) {
		t.Errorf("after the node changed its chain: got %v, want %v", err, chain.ErrWrongChain)
	}
}

func TestIdentityIsCheckedAgainAfterAFault(t *testing.T) {
	t.Parallel()
	n := newFakeNode(t)
	n.on(head, status(500))
	p := openPool(t, nil, n)
	_, _ = p.Head(t.Context())
	n.on("starknet_chainId", result(`"0x534e5f4d41494e"`))
	if _, err := p.Head(t.Context()); !errors.Is(err, chain.ErrWrongChain) {
		t.Errorf("restarted as another chain: got %v, want %v", err, chain.ErrWrongChain)
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
		t.Error("got a call of the node too early, want it to wait")
	}
	clock.advance(time.Second)
	if _, err := p.Head(t.Context()); err != nil {
		t.Errorf("after Retry-After: got %v, want no error", err)
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
			t.Errorf("retryAfter(%q) = %v, want %v", header, got, want)
		}
	}
}
