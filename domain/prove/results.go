package prove

import (
	"cmp"
	"maps"
	"slices"
	"sync"
	"time"
)

// results are the payloads that wait for their delivery.
type results struct {
	max int64

	mu    sync.Mutex
	jobs  map[string]*result
	bytes int64
}

// result is the payload of a job.
type result struct {
	place   int64
	payload *Payload
	expires time.Time
	turn    chan struct{} // holds a value while a poll delivers it
	gone    bool          // delivered; guarded by turn
}

func newResults(limit int64) *results { return &results{max: limit, jobs: map[string]*result{}} }

// put keeps a payload. If that exceeds the limit, the payloads that expire first
// are dropped.
func (r *results) put(id string, place int64, p *Payload, expires time.Time) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.remove(id)
	r.jobs[id] = &result{place: place, payload: p, expires: expires, turn: make(chan struct{}, 1)}
	r.bytes += p.size()
	for r.bytes > r.max && len(r.jobs) > 1 {
		r.remove(slices.MinFunc(slices.Collect(maps.Keys(r.jobs)), func(a, b string) int {
			return cmp.Or(r.jobs[a].expires.Compare(r.jobs[b].expires), cmp.Compare(r.jobs[a].place, r.jobs[b].place))
		}))
	}
}

// remove drops a payload; the caller has locked.
func (r *results) remove(id string) {
	if known := r.jobs[id]; known != nil {
		r.bytes -= known.payload.size()
		delete(r.jobs, id)
	}
}

// of returns the payload of a job; nil if there is none.
func (r *results) of(id string, now time.Time) *result {
	r.mu.Lock()
	defer r.mu.Unlock()
	if known := r.jobs[id]; known != nil && now.Before(known.expires) {
		return known
	}
	return nil
}

// drop drops the payload of a job in a place of the queue.
func (r *results) drop(id string, place int64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if known := r.jobs[id]; known != nil && known.place == place {
		r.remove(id)
	}
}

// expire drops the payloads whose time is over.
func (r *results) expire(now time.Time) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for id, known := range r.jobs {
		if !now.Before(known.expires) {
			r.remove(id)
		}
	}
}

// ids returns the jobs that have a payload, with their places.
func (r *results) ids() map[string]int64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	places := make(map[string]int64, len(r.jobs))
	for id, known := range r.jobs {
		places[id] = known.place
	}
	return places
}

// clear drops everything.
func (r *results) clear() {
	r.mu.Lock()
	defer r.mu.Unlock()
	clear(r.jobs)
	r.bytes = 0
}
