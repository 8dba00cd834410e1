package node

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/failsafe-go/failsafe-go"

	"astrolabe/domain"
	"astrolabe/node/socket"
)

// Pool is a set of upstreams of one chain. Its methods are safe for concurrent
// use.
type Pool struct {
	options   Options
	client    *http.Client
	upstreams []*upstream
	streams   []endpoint
	groups    []*socket.Group // the connections to streams
	gate      *gate
	hedge     failsafe.Executor[json.RawMessage]
	following *following
	sharing   *sharing
	ids       atomic.Uint64
	reads     atomic.Uint64                           // spreads the reads
	lead      atomic.Pointer[answer[domain.BlockRef]] // the furthest upstream of the last survey

	ctx    context.Context // ends when the pool closes
	cancel context.CancelCauseFunc

	mu       sync.Mutex
	closed   bool
	active   sync.WaitGroup // calls, streams and surveys
	surveyed time.Time
}

// Open returns a pool. It sends no request: each upstream is checked at its
// first use.
func Open(options Options) (*Pool, error) {
	options = options.withDefaults()
	if err := options.check(); err != nil {
		return nil, err
	}
	calls, streams, err := endpoints(options.URLs, options.Headers)
	if err != nil {
		return nil, err
	}
	options.URLs, options.Headers = nil, nil // only the endpoints need them
	p := &Pool{options: options, streams: streams, gate: newGate(options.MaxConcurrent, options.MaxQueue),
		hedge: newHedge(options.timing.hedge), following: newFollowing(), sharing: newSharing()}
	p.ctx, p.cancel = context.WithCancelCause(context.Background())
	p.client = newClient(options)
	for _, e := range calls {
		p.upstreams = append(p.upstreams, newUpstream(e, options.Limits.Of(e.url, options.MaxConcurrent)))
	}
	for _, e := range streams {
		p.groups = append(p.groups, p.newGroup(e))
	}
	return p, nil
}

// Chain returns the chain that the pool serves.
func (p *Pool) Chain() domain.Chain { return p.options.Chain }

// String returns the chain and the hosts, but not the URLs, which may hold
// keys.
func (p *Pool) String() string {
	hosts := make([]string, len(p.upstreams))
	for i, u := range p.upstreams {
		hosts[i] = u.name
	}
	return fmt.Sprintf("%s at %s", p.options.Chain, strings.Join(hosts, ", "))
}

// Close ends every call and stream with ErrClosed and waits for them. It may be
// called more than once.
func (p *Pool) Close() {
	p.mu.Lock()
	p.closed = true
	p.mu.Unlock()
	p.cancel(ErrClosed)
	p.active.Wait()
	for _, g := range p.groups {
		g.Close()
	}
	if p.options.HTTPClient == nil {
		p.client.CloseIdleConnections()
	}
}

// begin registers a call, stream or survey. Its context also ends when the pool
// closes. The caller must call done.
func (p *Pool) begin(ctx context.Context) (_ context.Context, done func(), err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return nil, nil, ErrClosed
	}
	p.active.Add(1)
	ctx, cancel := context.WithCancelCause(ctx)
	stop := context.AfterFunc(p.ctx, func() { cancel(ErrClosed) })
	return ctx, func() {
		stop()
		cancel(nil)
		p.active.Done()
	}, nil
}
