package prove

import (
	"context"
	"sync"
	"time"
)

// Run dispatches jobs and does the upkeep until ctx ends. Then it refuses new
// submissions, ends waiting jobs as Unavailable, and waits for the answers to
// requests that were sent, at most for the grace period. Results that are not
// delivered then stay for the linger period.
func (r *Relay) Run(ctx context.Context) {
	proving, giveUp := context.WithCancel(context.WithoutCancel(ctx))
	defer giveUp()
	writing, stop := context.WithCancel(context.WithoutCancel(ctx))
	defer stop()
	var upkeep, attempts sync.WaitGroup
	upkeep.Go(func() { r.keepUp(writing) })
	r.dispatchAll(ctx, func(t *ticket, attempt Attempt, release func()) {
		attempts.Go(func() {
			defer release()
			if attempt == nil {
				r.end(writing, t, Undone())
				return
			}
			r.dispatch(ctx, proving, writing, t, attempt)
		})
	})
	for _, t := range r.drain() {
		attempts.Go(func() { r.end(writing, t, Undone()) })
	}
	grace := time.AfterFunc(r.options.Grace, giveUp)
	defer grace.Stop()
	limit := time.AfterFunc(r.options.Grace+writeTime+r.options.Linger, stop)
	defer limit.Stop()
	attempts.Wait()
	r.linger(r.options.Linger)
	stop()
	upkeep.Wait()
	r.results.clear()
}

// linger waits until all results are delivered, or for so long.
func (r *Relay) linger(most time.Duration) {
	for end := time.Now().Add(most); len(r.results.ids()) > 0 && time.Now().Before(end); {
		sleep(context.Background(), firstPause)
	}
}

// dispatchAll starts attempts until ctx ends, at most Concurrent at a time. A job
// leaves the queue when the prover may be asked. While the circuit is open, jobs
// are started without an attempt.
func (r *Relay) dispatchAll(ctx context.Context, start func(t *ticket, attempt Attempt, release func())) {
	slots := make(chan struct{}, r.options.Concurrent)
	for {
		select {
		case slots <- struct{}{}:
		case <-ctx.Done():
			return
		}
		t, attempt := r.next(ctx)
		if t == nil {
			return
		}
		start(t, attempt, func() { <-slots })
	}
}

// next waits for a job, then for the permit to dispatch it, and takes the first
// job of the queue. Without a job nobody may hold a permit: it may be the only
// one. No job means that ctx has ended, and no attempt that the circuit is open.
func (r *Relay) next(ctx context.Context) (*ticket, Attempt) {
	for r.awaitJob(ctx) {
		attempt, ok := r.options.Upstream.Reserve(ctx)
		if !ok && ctx.Err() != nil {
			break
		}
		if t := r.take(); t != nil {
			return t, attempt
		}
		if ok { // another process has ended the job meanwhile
			attempt.Cancel()
		}
	}
	return nil, nil
}

// awaitJob waits until a job waits; false means that ctx has ended.
func (r *Relay) awaitJob(ctx context.Context) bool {
	for ctx.Err() == nil {
		if waiting, _ := r.tickets(); len(waiting) > 0 {
			return true
		}
		select {
		case <-r.wake:
		case <-ctx.Done():
		}
	}
	return false
}

// dispatch makes the only attempt of a job. Nothing is sent before the job is
// stored as dispatched. While that cannot be stored, the job stays queued, until
// ctx ends; then it ends, because nothing was sent.
func (r *Relay) dispatch(ctx, proving, writing context.Context, t *ticket, attempt Attempt) {
	moved, err := r.stored(ctx, writing, t, asDispatched)
	switch {
	case err != nil:
		attempt.Cancel()
		r.end(writing, t, Undone())
	case !moved: // another process has ended the job
		attempt.Cancel()
		r.ended(t)
	default:
		r.end(writing, t, attempt.Prove(proving, t.params))
	}
}
