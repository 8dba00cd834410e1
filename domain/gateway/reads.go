package gateway

import (
	"context"
	"encoding/json"
	"sync"
	"time"

	"github.com/hashicorp/golang-lru/v2/simplelru"
	"golang.org/x/sync/singleflight"

	"astrolabe/cache"
	"astrolabe/domain/account"
)

const (
	cachedBytes   = 64 << 20         // of cached answers
	cachedAge     = 10 * time.Minute // bounds how long an answer outlives a change of its node
	recentCallers = 4096
	readTimeout   = 30 * time.Second // of a shared read, whose callers may have left
)

// reads forwards reads. It answers immutable ones from memory, and lets
// identical concurrent ones share a call.
//
// A caller never sees the chain go back: it joins a call only if that began
// after its own last answer.
type reads struct {
	now      func() time.Time
	accepted func(context.Context) (uint64, bool)
	cached   *cache.Weighted[string, remembered]

	mu     sync.Mutex
	flight singleflight.Group
	begun  map[string]time.Time              // when the shared call of a key began
	seen   *simplelru.LRU[string, time.Time] // when a caller got its last answer
}

type remembered struct {
	result json.RawMessage
	at     time.Time
}

func newReads(o Options) *reads {
	return &reads{
		now: o.Now, accepted: o.Accepted,
		cached: cache.NewWeighted[string, remembered](cachedBytes),
		begun:  map[string]time.Time{},
		seen:   cache.Must(simplelru.NewLRU[string, time.Time](recentCallers, nil)),
	}
}

// forward answers a read.
func (r *reads) forward(ctx context.Context, node Node, m Method, c Call) (json.RawMessage, error) {
	block := blockOf(m, c.Params)
	if block.pinned() {
		c.Block = block.Number
	} else {
		c.Follows = meterOf(ctx)
	}
	key := c.Method + string(c.Params)
	if known, ok := r.cached.Get(key); ok && r.now().Sub(known.at) < cachedAge {
		if !c.Allowance.Take(len(known.result)) {
			return nil, ErrTooLarge
		}
		return known.result, nil
	}
	var (
		result json.RawMessage
		err    error
	)
	if caller := meterOf(ctx); c.Allowance == nil && r.mayJoin(key, caller) {
		result, err = r.share(ctx, node, key, c)
		r.answered(caller)
	} else {
		result, err = node.Forward(ctx, c)
		r.answered(caller)
	}
	if err == nil && r.immutable(ctx, c, block, result) {
		r.cached.Add(key, remembered{result, r.now()}, len(key)+len(result))
	}
	return result, err
}

// share joins the call in flight for the key, or begins one. The call continues
// when its callers have left, so its time is limited.
func (r *reads) share(ctx context.Context, node Node, key string, c Call) (json.RawMessage, error) {
	answers := r.flight.DoChan(key, func() (any, error) {
		r.begin(key)
		defer r.end(key)
		shared, cancel := context.WithTimeout(context.WithoutCancel(ctx), readTimeout)
		defer cancel()
		return node.Forward(shared, c)
	})
	select {
	case answer := <-answers:
		result, _ := answer.Val.(json.RawMessage) // nil with an error
		return result, answer.Err
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

func (r *reads) begin(key string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.begun[key] = r.now()
}

func (r *reads) end(key string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.begun, key)
}

// mayJoin reports whether the call in flight for the key, if there is one,
// began after the caller's last answer.
func (r *reads) mayJoin(key, caller string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	begun, inFlight := r.begun[key]
	last, _ := r.seen.Get(caller)
	return !inFlight || begun.After(last)
}

func (r *reads) answered(caller string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.seen.Add(caller, r.now())
}

// meterOf identifies the caller of a request.
func meterOf(ctx context.Context) string {
	caller := account.CallerOf(ctx)
	if caller == nil {
		return ""
	}
	return string(caller.Kind) + caller.Workspace + caller.Subject
}
