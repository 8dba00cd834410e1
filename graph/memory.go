package graph

import (
	"context"
	"sync"
	"sync/atomic"

	"golang.org/x/sync/semaphore"

	"astrolabe/domain"
)

// What a result takes until it is sent, measured on the largest results: a value
// in gqlgen's tree, and a byte of text in the buffers of gqlgen, of its encoding
// as a response and of the server.
const (
	memoryPerValue = 400
	memoryPerByte  = 5
)

// smallCost is the cost up to which an operation begins without a reservation.
const smallCost = 2_000

// memoryStep is by how much a reservation grows.
const memoryStep = 256 << 10

// memory bounds what the results of all operations take together. Large
// operations wait until there is room for their cost, in order of arrival, while
// they hold nothing. All others, and those that need more than their cost said,
// take from the rest as they grow and are ended when nothing is left.
type memory struct {
	queued *semaphore.Weighted
	spare  *semaphore.Weighted
	most   int64 // of one operation in queued
}

// newMemory makes the memory of a server.
func newMemory(bytes int) *memory {
	queued := int64(bytes) / 3 * 2
	return &memory{queued: semaphore.NewWeighted(queued), spare: semaphore.NewWeighted(int64(bytes) - queued), most: queued}
}

// reserve waits until an operation of the cost may begin. Its error is the
// context's.
func (m *memory) reserve(ctx context.Context, cost int) (*reservation, error) {
	r := &reservation{memory: m}
	if cost <= smallCost {
		return r, nil
	}
	r.queued = min(int64(cost)*memoryPerValue, m.most)
	if err := m.queued.Acquire(ctx, r.queued); err != nil {
		return nil, err
	}
	r.limit.Store(r.queued)
	return r, nil
}

// reservation is the memory of one operation.
type reservation struct {
	memory *memory
	queued int64
	used   atomic.Int64
	limit  atomic.Int64 // what is reserved

	mu    sync.Mutex
	spare int64
}

// use counts memory. It reports whether the server has it.
func (r *reservation) use(bytes int64) bool {
	used := r.used.Add(bytes)
	if used <= r.limit.Load() {
		return true
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for used > r.limit.Load() {
		if !r.memory.spare.TryAcquire(memoryStep) {
			return false
		}
		r.spare += memoryStep
		r.limit.Add(memoryStep)
	}
	return true
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
	r.limit.Store(0)
}

// errMemory is the error of an operation for which no memory is left.
func errMemory() error {
	return domain.Unavailable(busyRetry, nil, "The server is building too many large results at the moment. Retry, or request fewer items or fields.")
}
