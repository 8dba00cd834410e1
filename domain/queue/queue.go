package queue

import (
	"context"
	"sync"
)

// Queue passes items on in their order. It is safe for concurrent use.
type Queue[T any] struct {
	maxItems, maxBytes int

	mu      sync.Mutex
	changed sync.Cond
	items   []entry[T]
	bytes   int
	end     error // why it was closed; nil while it is open
}

type entry[T any] struct {
	item T
	size int
}

// New returns a queue that is full at so many items or bytes. The last item may
// exceed the bytes, so that every item fits into an empty queue.
func New[T any](maxItems, maxBytes int) *Queue[T] {
	q := &Queue[T]{maxItems: maxItems, maxBytes: maxBytes}
	q.changed.L = &q.mu
	return q
}

// TryPut adds an item of so many bytes. It returns false if the queue is full or
// closed.
func (q *Queue[T]) TryPut(item T, size int) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.end != nil || q.full() {
		return false
	}
	q.add(item, size)
	return true
}

// Put adds an item of so many bytes, and waits for room. It returns the cause of
// ctx or the error that the queue was closed with.
func (q *Queue[T]) Put(ctx context.Context, item T, size int) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	if err := q.wait(ctx, func() bool { return q.end != nil || !q.full() }); err != nil {
		return err
	}
	if q.end != nil {
		return q.end
	}
	q.add(item, size)
	return nil
}

// Take removes the first item, and waits for one. When the queue is closed and
// empty, it returns the error that it was closed with.
func (q *Queue[T]) Take(ctx context.Context) (item T, err error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if err := q.wait(ctx, func() bool { return q.end != nil || len(q.items) > 0 }); err != nil {
		return item, err
	}
	if len(q.items) == 0 {
		return item, q.end
	}
	first := q.items[0]
	q.items[0] = entry[T]{} // the array may live on
	q.items = q.items[1:]
	q.bytes -= first.size
	q.changed.Broadcast()
	return first.item, nil
}

// Close ends the queue with an error. Items that are in it can still be taken.
// Only the first call has an effect.
func (q *Queue[T]) Close(err error) { q.close(err, false) }

// Abort is Close, and discards the items.
func (q *Queue[T]) Abort(err error) { q.close(err, true) }

func (q *Queue[T]) close(err error, discard bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.end != nil {
		return
	}
	q.end = err
	if discard {
		q.items, q.bytes = nil, 0
	}
	q.changed.Broadcast()
}

func (q *Queue[T]) full() bool { return len(q.items) >= q.maxItems || q.bytes >= q.maxBytes }

func (q *Queue[T]) add(item T, size int) {
	q.items = append(q.items, entry[T]{item, size})
	q.bytes += size
	q.changed.Broadcast()
}

// wait waits until ready, and returns the cause of ctx if that ends before.
func (q *Queue[T]) wait(ctx context.Context, ready func() bool) error {
	if ready() {
		return nil
	}
	stop := context.AfterFunc(ctx, func() {
		q.mu.Lock()
		defer q.mu.Unlock()
		q.changed.Broadcast()
	})
	defer stop()
	for !ready() {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		q.changed.Wait()
	}
	return nil
}
