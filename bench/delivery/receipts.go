package delivery

import (
	"slices"
	"sync"
	"time"
)

// receipts are the times at which subscribers received blocks.
type receipts struct {
	subscribers, blocks int
	done                chan struct{} // closed when all subscribers received so many blocks

	mu     sync.Mutex
	begun  bool
	newest uint64 // received before all had subscribed
	times  map[uint64][]time.Time
	late   []time.Duration // after the first subscriber, of the blocks that all received
}

func newReceipts(subscribers, blocks int) *receipts {
	return &receipts{subscribers: subscribers, blocks: blocks, done: make(chan struct{}), times: map[uint64][]time.Time{}}
}

// begin is called when all have subscribed. Blocks that came before do not count,
// because some subscribers were still connecting.
func (r *receipts) begin() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.begun = true
}

// add counts that a subscriber received a block.
func (r *receipts) add(block uint64, at time.Time) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.begun {
		r.newest = max(r.newest, block)
	}
	if block <= r.newest || r.complete() {
		return
	}
	times := append(r.times[block], at)
	r.times[block] = times
	if len(times) < r.subscribers {
		return
	}
	first := slices.MinFunc(times, time.Time.Compare)
	for _, at := range times {
		r.late = append(r.late, at.Sub(first))
	}
	if r.complete() {
		slices.Sort(r.late)
		close(r.done)
	}
}

func (r *receipts) complete() bool { return len(r.late) == r.blocks*r.subscribers }
