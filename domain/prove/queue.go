package prove

import (
	"cmp"
	"context"
	"slices"
)

// ticket is a job in the memory of its holder, from its acceptance until its
// attempt has ended. The place tells it from the same job in an earlier or later
// place of the queue.
type ticket struct {
	id     string
	place  int64
	params Private
}

// enqueue adds a job that was stored as queued. If the relay is draining, the job
// becomes Unavailable at once and the error is prover_unavailable.
func (r *Relay) enqueue(ctx context.Context, t *ticket) error {
	r.mu.Lock()
	draining := r.draining
	if !draining {
		at, _ := slices.BinarySearchFunc(r.waiting, t, func(a, b *ticket) int { return cmp.Compare(a.place, b.place) })
		r.waiting = slices.Insert(r.waiting, at, t)
	}
	r.mu.Unlock()
	if draining {
		_, err := r.move(ctx, t.id, t.place, endAs(Undone()))
		return cmp.Or(err, drained())
	}
	r.signal()
	return nil
}

// signal wakes the dispatcher.
func (r *Relay) signal() {
	select {
	case r.wake <- struct{}{}:
	default: // it will wake anyway
	}
}

// take takes the first job of the queue; nil if it is empty.
func (r *Relay) take() *ticket {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.waiting) == 0 {
		return nil
	}
	t := r.waiting[0]
	r.waiting = slices.Delete(r.waiting, 0, 1)
	r.active = append(r.active, t)
	return t
}

// drain closes the queue and returns the jobs that were waiting.
func (r *Relay) drain() []*ticket {
	r.mu.Lock()
	defer r.mu.Unlock()
	left := r.waiting
	r.waiting, r.draining = nil, true
	r.active = append(r.active, left...)
	return left
}

// ended removes a ticket whose attempt has ended.
func (r *Relay) ended(t *ticket) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.active = slices.DeleteFunc(r.active, func(other *ticket) bool { return other == t })
}

// tickets returns all tickets, those of waiting jobs first.
func (r *Relay) tickets() (waiting, active []*ticket) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.waiting), slices.Clone(r.active)
}

// release removes waiting tickets whose jobs another process has ended, and with
// them their bodies.
func (r *Relay) release(swept []*ticket) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.waiting = slices.DeleteFunc(r.waiting, func(t *ticket) bool { return slices.Contains(swept, t) })
}

// Stats counts what this process keeps in memory.
type Stats struct {
	Waiting, Active, Results int
}

// Stats returns how many jobs wait here, are being dispatched and have a result.
func (r *Relay) Stats() Stats {
	waiting, active := r.tickets()
	return Stats{len(waiting), len(active), len(r.results.ids())}
}
