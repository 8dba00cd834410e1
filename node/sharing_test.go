package node

import (
	"context"
	"fmt"
	"net/http"
	"sync"
	"testing"

	"astrolabe/polltest"
)

// held replies once proceed is closed.
func held(proceed <-chan struct{}, then reply) reply {
	return func(w http.ResponseWriter, r *http.Request, c call) {
		<-proceed
		then(w, r, c)
	}
}

// followingRead is a read of a caller that moves with the head.
func followingRead(method, caller string) Request {
	return Request{Method: method, Follows: caller, Share: caller}
}

// forwarded sends a read and returns its result later.
func forwarded(t *testing.T, p *Pool, r Request) <-chan string {
	done := make(chan string, 1)
	go func() {
		got, err := p.Forward(t.Context(), r)
		if err != nil {
			t.Errorf("%s of %q: got %v, want no error", r.Method, r.Share, err)
		}
		done <- string(got)
	}()
	return done
}

func (s *sharing) users(key string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	if f := s.flights[key]; f != nil {
		return f.users
	}
	return 0
}

func TestIdenticalConcurrentReadsShareACall(t *testing.T) {
	t.Parallel()
	n := newFakeNode(t)
	proceed := make(chan struct{})
	n.on(nonce, held(proceed, result(`"0x1"`)))
	p := openPool(t, func(o *Options) { o.MaxConcurrent, o.MaxQueue = 2, -1 }, n)
	var reads sync.WaitGroup
	for range 20 {
		reads.Go(func() {
			if got, err := p.Forward(t.Context(), Request{Method: nonce, Share: "a"}); string(got) != `"0x1"` || err != nil {
				t.Errorf("got %s and %v, want an answer", got, err)
			}
		})
		polltest.Until(t, "a read in flight", func() bool { return p.sharing.users(nonce) > 0 })
	}
	polltest.Until(t, "20 reads of one call", func() bool { return p.sharing.users(nonce) == 20 })
	close(proceed)
	reads.Wait()
	if got := len(n.calls(nonce)); got != 1 {
		t.Errorf("the node got %d calls, want 1", got)
	}
}

func TestReadDoesNotJoinACallOlderThanItsCallersLastAnswer(t *testing.T) {
	t.Parallel()
	n := newFakeNode(t)
	proceed := make(chan struct{})
	n.on(nonce, held(proceed, result(`"0x1"`)))
	n.on("starknet_getStorageAt", result(`"0x0"`))
	p := openPool(t, nil, n)
	old := forwarded(t, p, Request{Method: nonce, Share: "a"})
	n.awaitCalls(nonce, 1)
	n.on(nonce, result(`"0x2"`))
	if _, err := p.Forward(t.Context(), Request{Method: "starknet_getStorageAt", Share: "b"}); err != nil {
		t.Fatal(err)
	}
	if got, err := p.Forward(t.Context(), Request{Method: nonce, Share: "b"}); string(got) != `"0x2"` || err != nil {
		t.Errorf("got %s and %v, want an answer of its own: the caller has seen a later state", got, err)
	}
	close(proceed)
	<-old
}

func TestReadJoinsOnlyACallThatSatisfiesItsCallersView(t *testing.T) {
	t.Parallel()
	ahead, behind := newFakeNode(t), newFakeNode(t)
	p := withoutSurveys(openPool(t, nil, ahead, behind))
	number := "starknet_blockNumber"
	ahead.on(number, result(`151`))
	behind.on(number, result(`149`))
	p.following.saw("a", p.upstreams[1], 149)
	p.upstreams[1].head.Store(149)
	p.following.saw("b", p.upstreams[0], 151)
	p.upstreams[0].head.Store(151)
	proceed := make(chan struct{})
	behind.on(number, held(proceed, result(`149`)))
	first := forwarded(t, p, followingRead(number, "a"))
	behind.awaitCalls(number, 1)
	if got, err := p.Forward(t.Context(), followingRead(number, "b")); string(got) != "151" || err != nil {
		t.Errorf("b, which has seen block 151: got %s and %v, want 151", got, err)
	}
	close(proceed)
	if got := <-first; got != "149" {
		t.Errorf("a: got %s, want 149", got)
	}
}

func TestJoinedReadCountsForItsCallersView(t *testing.T) {
	t.Parallel()
	n := newFakeNode(t)
	proceed := make(chan struct{})
	number := "starknet_blockNumber"
	n.on(number, held(proceed, result(`151`)))
	p := openPool(t, nil, n)
	first := forwarded(t, p, followingRead(number, "a"))
	n.awaitCalls(number, 1)
	second := forwarded(t, p, followingRead(number, "b"))
	polltest.Until(t, "the second read in the same call", func() bool { return p.sharing.users(number) == 2 })
	close(proceed)
	<-first
	<-second
	if got := p.following.of("b").block; got != 151 {
		t.Errorf("b has seen block %d, want 151", got)
	}
}

func TestJoinedReadDoesNotGoBehindWhatItsCallerHasSeenMeanwhile(t *testing.T) {
	t.Parallel()
	n := newFakeNode(t)
	n.at(100, "a")
	proceed := make(chan struct{})
	n.on(number, held(proceed, result(`100`)))
	p := openPool(t, nil, n)
	first := forwarded(t, p, followingRead(number, "b"))
	n.awaitCalls(number, 1)
	joined := forwarded(t, p, followingRead(number, "a"))
	polltest.Until(t, "the read of a in the same call", func() bool { return p.sharing.users(number) == 2 })
	n.at(101, "a")
	if got, err := p.Forward(t.Context(), followingRead(headRef, "a")); err != nil {
		t.Fatalf("got %s and %v, want the head", got, err)
	}
	close(proceed)
	if got := <-joined; got != "101" {
		t.Errorf("a, which has seen block 101: got %s, want 101", got)
	}
	if got := <-first; got != "100" {
		t.Errorf("b: got %s, want 100", got)
	}
}

func TestReadDoesNotWaitInTheQueueOfAnotherCaller(t *testing.T) {
	t.Parallel()
	n := newFakeNode(t)
	proceed := make(chan struct{})
	n.on(nonce, held(proceed, result(`"0x1"`)))
	p := openPool(t, func(o *Options) { o.MaxConcurrent, o.Caller = 4, callerIn }, n)
	ctx := func(name string) context.Context { return context.WithValue(t.Context(), callerKey{}, name) }
	version := Request{Method: "starknet_specVersion"}
	var reads sync.WaitGroup
	read := func(name string, r Request) {
		reads.Go(func() {
			if _, err := p.Forward(ctx(name), r); err != nil {
				t.Errorf("%s of %s: got %v, want no error", r.Method, name, err)
			}
		})
	}
	for i := range 2 { // the share of one caller
		read("a", Request{Method: nonce, Params: fmt.Appendf(nil, "[%d]", i), Share: "a"})
	}
	n.awaitCalls(nonce, 2)
	version.Share = "a"
	read("a", version)
	polltest.Until(t, "a read in the queue of a", func() bool {
		p.gate.mu.Lock()
		defer p.gate.mu.Unlock()
		return len(p.gate.waiting) == 1
	})
	version.Share = "b"
	if _, err := p.Forward(ctx("b"), version); err != nil {
		t.Errorf("the same read of b: got %v, want an answer while a waits", err)
	}
	close(proceed)
	reads.Wait()
}

func TestQueuedReadJoinsACallThatBegins(t *testing.T) {
	t.Parallel()
	n := newFakeNode(t)
	slow, proceed := make(chan struct{}), make(chan struct{})
	n.on(nonce, held(slow, result(`"0x1"`)))
	n.on("starknet_syncing", held(proceed, result(`false`)))
	p := openPool(t, func(o *Options) { o.MaxConcurrent, o.Caller = 2, callerIn }, n)
	ctx := func(name string) context.Context { return context.WithValue(t.Context(), callerKey{}, name) }
	syncing := func(name string) <-chan error {
		done := make(chan error, 1)
		go func() {
			_, err := p.Forward(ctx(name), Request{Method: "starknet_syncing", Share: name})
			done <- err
		}()
		return done
	}
	busy := make(chan struct{})
	go func() {
		defer close(busy)
		_, _ = p.Forward(ctx("a"), Request{Method: nonce, Share: "a"})
	}()
	n.awaitCalls(nonce, 1)
	queued := syncing("a")
	polltest.Until(t, "a read in the queue of a", func() bool {
		p.gate.mu.Lock()
		defer p.gate.mu.Unlock()
		return len(p.gate.waiting) == 1
	})
	other := syncing("b")
	polltest.Until(t, "both reads in one call", func() bool { return p.sharing.users("starknet_syncing") == 2 })
	close(proceed)
	for _, done := range []<-chan error{queued, other} {
		if err := <-done; err != nil {
			t.Errorf("got %v, want an answer", err)
		}
	}
	close(slow)
	<-busy
	if got := len(n.calls("starknet_syncing")); got != 1 {
		t.Errorf("the node got %d calls, want 1", got)
	}
}

type callerKey struct{}

func callerIn(ctx context.Context) Caller {
	name, _ := ctx.Value(callerKey{}).(string)
	return Caller{Name: name}
}
