package verify

import "sync"

// waker passes notifications on: to the watchers of a job, and to one builder
// that waits for work.
type waker struct {
	idle chan struct{}

	mu      sync.Mutex
	watched map[string]chan struct{} // by the ID of the job
}

func newWaker() *waker {
	return &waker{idle: make(chan struct{}, 1), watched: map[string]chan struct{}{}}
}

// wake is called with the ID of a job that has a new state, or with an empty one
// when notifications may have been missed.
func (w *waker) wake(id string) {
	signal(w.idle)
	w.mu.Lock()
	defer w.mu.Unlock()
	for job, moved := range w.watched {
		if id == "" || id == job {
			signal(moved)
		}
	}
}

// watch returns a channel that receives now, because the job may have moved
// already, and whenever the job has a new state.
func (w *waker) watch(job string) <-chan struct{} {
	w.mu.Lock()
	defer w.mu.Unlock()
	moved := make(chan struct{}, 1)
	moved <- struct{}{}
	w.watched[job] = moved
	return moved
}

func (w *waker) unwatch(job string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.watched, job)
}

// signal sends unless a signal is waiting already.
func signal(to chan<- struct{}) {
	select {
	case to <- struct{}{}:
	default:
	}
}
