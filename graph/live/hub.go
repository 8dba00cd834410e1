package live

import (
	"context"
	"log/slog"
	"sync/atomic"
	"time"

	"astrolabe/domain"
	"astrolabe/domain/chain"
)

// maxReads is how many reads run at once for all subscribers. Every block is
// news for each of them, and together they must not crowd out requests.
const maxReads = 4

// Options are what a hub reads and how often.
type Options struct {
	Chains   []domain.Chain
	Blocks   *chain.Blocks
	Statuses *chain.Statuses
	Logger   *slog.Logger
	// PollEvery is how often a followed chain is read without a notification.
	PollEvery time.Duration
	// PollJobsEvery is how often a followed verification job is read without a
	// notification.
	PollJobsEvery time.Duration
	// TimeLimit is the time that one read may take.
	TimeLimit time.Duration
	// ResumeBlocks is how far behind the head a stream may begin.
	ResumeBlocks int
}

// Hub follows the chains and the verification jobs that have subscribers. It runs nothing while there
// are none.
type Hub struct {
	Options
	tips  map[domain.Chain]*tips
	feed  *feed
	jobs  jobs
	reads chan struct{}
	slow  atomic.Uint64
}

// NewHub makes a hub.
func NewHub(o Options) *Hub {
	h := &Hub{Options: o, tips: map[domain.Chain]*tips{}, reads: make(chan struct{}, maxReads)}
	h.jobs.followers = map[string]map[chan struct{}]struct{}{}
	h.feed = &feed{hub: h, subscribers: map[*subscriber]struct{}{}}
	for _, c := range o.Chains {
		h.tips[c] = &tips{
			chain: c, blocks: o.Blocks, every: o.PollEvery, limit: o.TimeLimit, logger: o.Logger,
			notified: make(chan struct{}, 1),
		}
	}
	return h
}

// Notify says that a chain may have new blocks. Without it subscribers see
// them after PollEvery.
func (h *Hub) Notify(c domain.Chain) {
	h.Statuses.Renew()
	if t := h.tips[c]; t != nil {
		t.notify()
	}
}

// NotifyJob says that a verification job may have a new state; an empty ID, that
// any may have. Without it subscribers see the state after PollJobsEvery.
func (h *Hub) NotifyJob(id string) { h.jobs.notify(id) }

// Next returns the number of the block that the followers of a chain await, 0
// while there are none.
func (h *Hub) Next(c domain.Chain) uint64 {
	if t := h.tips[c].current(); t != nil {
		return t.next
	}
	return 0
}

// StatusSubscribers counts those that follow the status of a chain.
func (h *Hub) StatusSubscribers() int { return h.feed.count() }

// Slow counts the subscribers that were dropped because they did not keep up.
func (h *Hub) Slow() uint64 { return h.slow.Load() }

// Wait returns when nothing runs any more, after the last subscriber left.
func (h *Hub) Wait() {
	for _, t := range h.tips {
		t.wait()
	}
	h.feed.watching.Wait()
}

// Read runs a read for a subscriber, in its turn and in bounded time.
func (h *Hub) Read(ctx context.Context, read func(context.Context) error) error {
	select {
	case h.reads <- struct{}{}:
		defer func() { <-h.reads }()
	case <-ctx.Done():
		return ctx.Err()
	}
	bounded, cancel := context.WithTimeout(ctx, h.TimeLimit)
	defer cancel()
	return read(bounded)
}
