package node

import (
	"context"
	"encoding/json"
	"errors"
	"sync"
	"time"

	"github.com/hashicorp/golang-lru/v2/simplelru"

	"astrolabe/node/wire"
)

const (
	maxFollowing = 4096
	// catchUpTime is how long a read waits for an upstream to reach the head
	// that its caller has seen.
	catchUpTime  = 5 * time.Second
	catchUpPause = 200 * time.Millisecond
)

// following remembers for each caller which upstream answered it last and the
// newest head that it has seen, so that the head never goes back for it.
type following struct {
	mu      sync.Mutex
	callers *simplelru.LRU[string, view]
}

// view is what a caller has seen of the head.
type view struct {
	from     *upstream
	block    uint64    // the newest head that an answer may have shown
	answered time.Time // when the caller got its last answer
}

func newFollowing() *following {
	callers, err := simplelru.NewLRU[string, view](maxFollowing, nil)
	if err != nil {
		panic(err) // the size is a constant
	}
	return &following{callers: callers}
}

func (f *following) of(caller string) view {
	f.mu.Lock()
	defer f.mu.Unlock()
	v, _ := f.callers.Get(caller)
	return v
}

// saw records that an upstream answered a caller, and the head that the answer
// may show. It reports false, and records nothing, if the caller has seen a
// newer one.
func (f *following) saw(caller string, u *upstream, head uint64) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	v, _ := f.callers.Get(caller)
	if head < v.block {
		return false
	}
	v.from, v.block = u, head
	f.callers.Add(caller, v)
	return true
}

// raise raises the views of callers that were notified of a head.
func (f *following) raise(callers []string, head uint64) {
	f.change(callers, func(v *view) { v.block = max(v.block, head) })
}

// undone lowers the views of callers that were notified of a reorg, if it removed
// the newest head that they have seen.
func (f *following) undone(callers []string, first, last uint64) {
	f.change(callers, func(v *view) {
		if first <= v.block && v.block <= last {
			v.block = max(first, 1) - 1
		}
	})
}

func (f *following) change(callers []string, change func(*view)) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, caller := range callers {
		v, _ := f.callers.Get(caller)
		change(&v)
		f.callers.Add(caller, v)
	}
}

// answered records that a caller got an answer.
func (f *following) answered(caller string, now time.Time) {
	f.mu.Lock()
	defer f.mu.Unlock()
	v, _ := f.callers.Get(caller)
	v.answered = now
	f.callers.Add(caller, v)
}

// lower lowers the views of the callers that follow an upstream whose chain went
// back, and of those that no upstream has answered yet.
func (f *following) lower(u *upstream, head uint64) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, caller := range f.callers.Keys() {
		if v, _ := f.callers.Peek(caller); (v.from == u || v.from == nil) && v.block > head {
			v.block = head
			f.callers.Add(caller, v)
		}
	}
}

// catchingUp is inTurn for reads that move with the head: while no upstream has
// reached the head that the caller has seen, it waits for one, for a limited
// time.
func (p *Pool) catchingUp(ctx context.Context, order []*upstream, q query) (json.RawMessage, error) {
	for waited := time.Duration(0); ; waited += catchUpPause {
		result, err := p.inTurn(ctx, order, q)
		if !errors.Is(err, errBehind) || waited >= catchUpTime || ctx.Err() != nil {
			return result, err
		}
		p.options.clock.Wait(ctx, catchUpPause)
	}
}

// tryFollowing is try for a read that moves with the head: the upstream must be
// known to have reached the head that the caller has seen, and must still be
// there afterwards, because several nodes may be behind one URL. What the answer
// may show becomes the view of the caller: the head that it tells or, if it tells
// none and the caller could be sent to another upstream, the head that the
// upstream reports after it.
func (p *Pool) tryFollowing(ctx context.Context, u *upstream, q query, shares int) (json.RawMessage, error) {
	behind := &Fault{Upstream: u.name, err: errBehind}
	if u.head.Load() < p.following.of(q.follows).block {
		if head, err := p.headOf(ctx, u); err != nil {
			return nil, err
		} else if head < p.following.of(q.follows).block {
			return nil, behind
		}
	}
	p.sharing.asks(q.flight, u.head.Load())
	result, err := p.try(ctx, u, q, shares)
	if _, refused := errors.AsType[*RPCError](err); err != nil && !refused {
		return result, err
	}
	head := u.head.Load()
	if tells, ok := headIn(q, result); ok {
		p.observe(u, tells)
		head = tells.Number
	} else if len(p.upstreams) > 1 {
		var fault error
		if head, fault = p.headOf(ctx, u); fault != nil {
			return nil, fault
		}
	}
	if !p.following.saw(q.follows, u, head) {
		return nil, behind
	}
	p.sharing.answers(q.flight, u, head)
	return result, err
}

var errBehind = wire.Invalid("it is behind the head that the caller has seen")
