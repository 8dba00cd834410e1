package node

import (
	"net/http"
	"testing"
	"time"
)

func TestSlowReadIsAskedOfASecondUpstream(t *testing.T) {
	t.Parallel()
	slow, quick := newFakeNode(t), newFakeNode(t)
	slow.on(nonce, hang)
	quick.on(nonce, result(`"0x1"`))
	p := withoutSurveys(openPool(t, func(o *Options) { o.timing.hedge = time.Millisecond }, slow, quick))
	for range 2 { // reads begin at each upstream in turn
		got, err := p.Forward(t.Context(), Request{Method: nonce})
		if err != nil || string(got) != `"0x1"` {
			t.Fatalf("got %s and %v, want the answer of the quick upstream", got, err)
		}
	}
	if !p.upstreams[0].circuit.sound() {
		t.Error("got a failing upstream, want a healthy one: its attempt was withdrawn")
	}
}

func TestHedgeNeedsASlotOfItsOwn(t *testing.T) {
	t.Parallel()
	slow, quick := newFakeNode(t), newFakeNode(t)
	proceed := make(chan struct{})
	slow.on(nonce, func(w http.ResponseWriter, r *http.Request, c call) {
		<-proceed
		result(`"0x2"`)(w, r, c)
	})
	p := withoutSurveys(openPool(t, func(o *Options) { o.MaxConcurrent, o.timing.hedge = 1, time.Millisecond }, slow, quick))
	done := make(chan string, 1)
	go func() {
		got, err := p.Forward(t.Context(), Request{Method: nonce})
		if err != nil {
			t.Error(err)
		}
		done <- string(got)
	}()
	slow.awaitCalls(nonce, 1)
	close(proceed)
	if got := <-done; got != `"0x2"` || len(quick.calls(nonce)) != 0 {
		t.Errorf("got %s and %d calls of the other upstream, want the answer of the slow one alone", got, len(quick.calls(nonce)))
	}
}

func TestWriteIsNeverHedged(t *testing.T) {
	t.Parallel()
	const write = "starknet_addInvokeTransaction"
	slow, quick := newFakeNode(t), newFakeNode(t)
	slow.on(write, func(w http.ResponseWriter, r *http.Request, c call) {
		result(`"0x1"`)(w, r, c)
	})
	p := withoutSurveys(openPool(t, func(o *Options) { o.timing.hedge = 1 }, slow, quick))
	if _, err := p.Forward(t.Context(), Request{Method: write, Write: true}); err != nil {
		t.Fatal(err)
	}
	if got := len(slow.calls(write)) + len(quick.calls(write)); got != 1 {
		t.Errorf("the write was sent %d times, want once", got)
	}
}

func TestHistoricalReadsPreferUpstreamsThatHaveTheBlock(t *testing.T) {
	t.Parallel()
	pruned, archive := newFakeNode(t), newFakeNode(t)
	pruned.on(nonce, envelope(`{"jsonrpc":"2.0","id":%s,"error":{"code":24,"message":"Block not found"}}`))
	archive.on(nonce, result(`"0x1"`))
	p := openPool(t, nil, pruned, archive)
	if _, err := p.Survey(t.Context()); err != nil {
		t.Fatal(err)
	}
	p = withoutSurveys(p)
	ten := uint64(10)
	for range 6 {
		if _, err := p.Forward(t.Context(), Request{Method: nonce, Block: &ten}); err != nil {
			t.Fatal(err)
		}
	}
	if got := len(pruned.calls(nonce)); got != 1 {
		t.Errorf("the pruned upstream was asked %d times, want once", got)
	}
}
