package node

import (
	"errors"
	"net/http"
	"sync"
	"testing"

	"context"

	"astrolabe/polltest"
)

// queued returns the number of waiting calls.
func (g *gate) queued() int {
	g.mu.Lock()
	defer g.mu.Unlock()
	return len(g.waiting)
}

type senderKey struct{}

// as returns a context of a caller for pools that are opened with fromContext.
func as(ctx context.Context, c Caller) context.Context {
	return context.WithValue(ctx, senderKey{}, c)
}

func fromContext(ctx context.Context) Caller {
	c, _ := ctx.Value(senderKey{}).(Caller)
	return c
}

func TestGuestsDoNotStarveCallersWithAKey(t *testing.T) {
	t.Parallel()
	n := newFakeNode(t)
	proceed := make(chan struct{})
	n.on(head, func(w http.ResponseWriter, r *http.Request, c call) {
		<-proceed
		result(`{"block_hash":"0xabc","block_number":100}`)(w, r, c)
	})
	p := openPool(t, func(o *Options) { o.MaxConcurrent, o.MaxQueue, o.Caller = 4, 8, fromContext }, n)

	var calls sync.WaitGroup
	start := func(c Caller, want error) {
		calls.Go(func() {
			if _, err := p.Head(as(t.Context(), c)); !errors.Is(err, want) {
				t.Errorf("a call of %+v: got %v, want %v", c, err, want)
			}
		})
	}
	guests := []Caller{{"192.0.2.1", true}, {"192.0.2.2", true}, {"192.0.2.3", true}}
	for i := range 6 {
		start(guests[i%3], nil)
		polltest.Until(t, "a guest's call to have a slot or a place", func() bool { return p.gate.held() == i+1 })
	}
	for _, guest := range guests {
		if _, err := p.Head(as(t.Context(), guest)); !errors.Is(err, ErrBusy) {
			t.Errorf("a guest beside waiting guests: got %v, want %v", err, ErrBusy)
		}
	}
	for i := range 4 {
		start(Caller{Name: []string{"w1", "w2"}[i%2]}, nil)
		polltest.Until(t, "a keyed call to have a slot or a place", func() bool { return p.gate.held() == 7+i })
	}
	n.awaitCalls(head, 4)
	close(proceed)
	calls.Wait()
}

// held returns the number of calls in flight and waiting.
func (g *gate) held() int {
	g.mu.Lock()
	defer g.mu.Unlock()
	return len(g.running) + len(g.waiting)
}

func TestFreeSlotGoesToTheCallerWithTheFewestCalls(t *testing.T) {
	t.Parallel()
	g := newGate(3, 8)
	busy, other := Caller{Name: "busy"}, Caller{Name: "other"}
	for _, c := range []Caller{busy, {}, {}} {
		if err := g.enter(t.Context(), c); err != nil {
			t.Fatal(err)
		}
	}
	turn := make(chan string)
	for i, c := range []Caller{{}, {}, other} {
		go func() {
			if g.enter(t.Context(), c) == nil {
				turn <- c.Name
			}
		}()
		polltest.Until(t, "a call in the queue", func() bool { return g.queued() == i+1 })
	}
	g.leave(Caller{})
	if got := <-turn; got != other.Name {
		t.Errorf("the free slot went to %q, want %q", got, other.Name)
	}
	g.leave(other)
	g.leave(busy)
	<-turn
	<-turn
	if g.queued() != 0 {
		t.Errorf("got %d waiting calls, want none", g.queued())
	}
}

func TestOneCallerHasAtMostHalfOfThePool(t *testing.T) {
	t.Parallel()
	g := newGate(4, 4)
	c := Caller{Name: "w1"}
	for range 2 {
		if err := g.enter(t.Context(), c); err != nil {
			t.Fatal(err)
		}
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if err := g.enter(ended, c); !errors.Is(err, context.Canceled) {
		t.Errorf("the third call with two slots free: got %v, want it to wait and end with %v", err, context.Canceled)
	}
	if err := g.enter(t.Context(), Caller{Name: "w2"}); err != nil {
		t.Errorf("another caller: got %v, want no error", err)
	}
}
