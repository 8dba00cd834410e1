package node

import (
	"context"
	"encoding/json"
	"strconv"
	"sync"
	"time"

	"github.com/hashicorp/golang-lru/v2/simplelru"

	"astrolabe/node/wire"
)

const (
	maxFollowing = 4096
	// reorgPatience is how long a lower block number is taken for an upstream
	// that is behind. After that it is taken for a reorg.
	reorgPatience = 10 * time.Second

	behindRetries = 2 // of an upstream that is behind
	behindPause   = 200 * time.Millisecond
)

// following remembers for each caller which upstream answered it last and the
// newest block that it has seen, so that the head never goes back for it.
type following struct {
	mu      sync.Mutex
	callers *simplelru.LRU[string, view]
}

// view is what a caller has seen of the head.
type view struct {
	from  *upstream
	block uint64
	at    time.Time // when block was seen first

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

// saw records that an upstream answered a caller whose head was at a block.
func (f *following) saw(caller string, u *upstream, block uint64, now time.Time) {
	f.mu.Lock()
	defer f.mu.Unlock()
	v, _ := f.callers.Get(caller)
	if block > v.block || now.Sub(v.at) > reorgPatience {
		v.block, v.at = block, now
	}
	v.from = u
	f.callers.Add(caller, v)
}

// answered records that a caller got an answer.
func (f *following) answered(caller string, now time.Time) {
	f.mu.Lock()
	defer f.mu.Unlock()
	v, _ := f.callers.Get(caller)
	v.answered = now
	f.callers.Add(caller, v)
}

// tryFollowing is try for a read that moves with the head: the upstream must not
// be behind what the caller has seen. Several nodes may be behind one URL, so it
// is asked again before it is given up.
func (p *Pool) tryFollowing(ctx context.Context, u *upstream, q query, shares int) (json.RawMessage, error) {
	v, now := p.following.of(q.follows), p.options.clock.Now()
	if now.Sub(v.at) > reorgPatience {
		v.block = 0
	}
	if err := p.catchUp(ctx, u, v, shares); err != nil {
		return nil, err
	}
	for attempt := 0; ; attempt++ {
		p.sharing.asks(q.flight, u.head.Load())
		result, err := p.try(ctx, u, q, shares)
		if err != nil {
			return result, err
		}
		told, ok := headIn(q.method, result)
		if ok {
			u.head.Store(told)
		}
		if !ok || told >= v.block {
			p.following.saw(q.follows, u, u.head.Load(), p.options.clock.Now())
			p.sharing.answers(q.flight, u, u.head.Load())
			return result, nil
		}
		if attempt == behindRetries {
			return nil, &Fault{Upstream: u.name, err: errBehind}
		}
		p.options.clock.Wait(ctx, behindPause)
	}
}

// catchUp returns a *Fault if another upstream than the caller's last one is
// behind what the caller has seen.
func (p *Pool) catchUp(ctx context.Context, u *upstream, v view, shares int) error {
	if v.from == nil || v.from == u || u.head.Load() >= v.block {
		return nil
	}
	const method = "starknet_blockNumber"
	result, err := p.try(ctx, u, query{method: method}, shares)
	if err != nil {
		return asFault(u.name, err)
	}
	number, ok := headIn(method, result)
	if !ok || number < v.block {
		return &Fault{Upstream: u.name, err: errBehind}
	}
	u.head.Store(number)
	return nil
}

var errBehind = wire.Invalid("it is behind the head that the caller has seen")

// headIn returns the block number that a result tells about the head.
func headIn(method string, result json.RawMessage) (uint64, bool) {
	switch method {
	case "starknet_blockNumber":
		n, err := strconv.ParseUint(string(result), 10, 64)
		return n, err == nil
	case "starknet_blockHashAndNumber":
		head, err := wire.DecodeHead(result)
		return head.Number, err == nil
	}
	return 0, false
}
