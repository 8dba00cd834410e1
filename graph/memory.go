package graph

import (
	"context"
	"sync"
	"sync/atomic"

	"golang.org/x/sync/semaphore"

	"astrolabe/domain"
)

// What a result takes until it is sent, measured on the largest results: a value
// in gqlgen's tree, a byte of text in the buffers of gqlgen, of its encoding as a
// response and of the server, and what was read for it.
const (
	memoryPerValue = 400
	memoryPerByte  = 5
	memoryPerRead  = 2 // a byte from the database, in rows and in facts
)

// smallCost is the cost up to which an operation begins without a reservation.
const smallCost = 2_000

// A result up to memoryFree is not counted, so that thousands of subscribers
// share an event. A larger one grows by memoryStep.
const (
	memoryFree = 16 << 10
	memoryStep = 64 << 10
)

// memory bounds what the results of all operations take together. Large
// operations wait until there is room for their cost, in order of arrival, while
// they hold nothing. All others, and those that need more than their cost said,
// take from the rest as they grow and are ended when nothing is left.
type memory struct {
	queued *semaphore.Weighted
	spare  *semaphore.Weighted
	most   int64 // of one operation
}

// newMemory makes the memory of a server.
func newMemory(bytes int) *memory {
	half := int64(bytes) / 2
	return &memory{queued: semaphore.NewWeighted(half), spare: semaphore.NewWeighted(half), most: half}
}

// reserve waits until an operation of the cost may begin. Its error is the
// context's.
func (m *memory) reserve(ctx context.Context, cost int) (*reservation, error) {
	r := &reservation{memory: m}
	r.limit.Store(memoryFree)
	if cost <= smallCost {
		return r, nil
	}
	r.queued = min(int64(cost)*memoryPerValue, m.most)
	if err := m.queued.Acquire(ctx, r.queued); err != nil {
		return nil, err
	}
	r.limit.Add(r.queued)
	return r, nil
}

// reservation is the memory of one operation.
type reservation struct {
	memory *memory
	queued int64
	used   atomic.Int64
	limit  atomic.Int64 // up to which nothing more is taken

	mu    sync.Mutex
	spare int64
}

// use counts memory. It fails when the operation may not have it, or the server
// has no more.
func (r *reservation) use(bytes int64) error {
	used := r.used.Add(bytes)
	switch {
	case used > r.memory.most:
		return domain.Errorf(domain.CodePayloadTooLarge, "The operation needs more than %d MiB of memory. Request fewer items or fields.", r.memory.most>>20)
	case used <= r.limit.Load():
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for used > r.limit.Load() {
		if !r.memory.spare.TryAcquire(memoryStep) {
			return domain.Unavailable(busyRetry, nil, "The server is building too many large results at the moment. Retry, or request fewer items or fields.")
		}
		r.spare += memoryStep
		r.limit.Add(memoryStep)
	}
	return nil
}

// release returns everything, when the result was sent.
func (r *reservation) release() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.memory.spare.Release(r.spare)
	if r.queued > 0 {
		r.memory.queued.Release(r.queued)
	}
	r.spare, r.queued = 0, 0
	r.used.Store(0)
	r.limit.Store(memoryFree)
}
