package prover

import (
	"context"
	"math"
	"sync"
	"time"
)

// Options configure a prover. All have a default.
type Options struct {
	// Head returns the newest block that the prover knows; by default it knows
	// every block.
	Head func() uint64
	// Now is the clock of attestations; default time.Now.
	Now func() time.Time
	// Work is how long a proof takes; by default no time.
	Work time.Duration
}

// Prover is a simulated prover. It is an http.Handler and safe for concurrent
// use.
type Prover struct {
	head func() uint64
	now  func() time.Time
	work time.Duration

	mu       sync.Mutex
	script   []Reply
	received map[[32]byte]int
	total    int
	arrived  chan struct{} // closed and replaced when a request arrives
}

// New returns a prover.
func New(o Options) *Prover {
	p := &Prover{head: o.Head, now: o.Now, work: o.Work, received: map[[32]byte]int{}, arrived: make(chan struct{})}
	if p.head == nil {
		p.head = func() uint64 { return math.MaxUint64 }
	}
	if p.now == nil {
		p.now = time.Now
	}
	return p
}

// Script queues what the next requests get, one reply each.
func (p *Prover) Script(replies ...Reply) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.script = append(p.script, replies...)
}

// Received returns how many requests for a proof were read, and how many of them
// were for a transaction with this text.
func (p *Prover) Received(transaction []byte) (all, same int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.total, p.received[Digest(transaction)]
}

// Await returns when so many requests for a proof were read, or when ctx ends.
func (p *Prover) Await(ctx context.Context, requests int) error {
	for {
		p.mu.Lock()
		total, arrived := p.total, p.arrived
		p.mu.Unlock()
		if total >= requests {
			return nil
		}
		select {
		case <-arrived:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// next takes the next queued reply, if it is wanted.
func (p *Prover) next(wanted func(Reply) bool) (Reply, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.script) == 0 || !wanted(p.script[0]) {
		return Reply{}, false
	}
	reply := p.script[0]
	p.script = p.script[1:]
	return reply, true
}

// count counts a request that was read.
func (p *Prover) count(transaction []byte) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.received[Digest(transaction)]++
	p.total++
	close(p.arrived)
	p.arrived = make(chan struct{})
}
