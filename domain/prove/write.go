package prove

import (
	"context"
	"time"
)

const (
	// writeTime limits one attempt to store the status of a job, including the
	// wait for a connection, and all of them together at the end of Run. An
	// attempt that fails is repeated.
	writeTime = 5 * time.Second

	firstPause   = 50 * time.Millisecond
	longestPause = 5 * time.Second
)

// end stores how a job ended, and keeps its payload. If another process has ended
// the job meanwhile, or ctx ends before the store answers, the payload is dropped.
func (r *Relay) end(ctx context.Context, t *ticket, o Outcome) {
	defer r.ended(t)
	if o.Payload != nil {
		r.results.put(t.id, t.place, o.Payload, r.options.Now().Add(ResultLife))
	}
	if moved, err := r.stored(ctx, ctx, t, endAs(o)); err != nil || !moved {
		r.results.drop(t.id, t.place)
	}
}

// stored moves a job, and repeats that until the store answers or ctx ends. A
// write that runs then ends with writing, or at its own time limit.
func (r *Relay) stored(ctx, writing context.Context, t *ticket, decide func(*Job, time.Time) *Change) (bool, error) {
	for pause := firstPause; ; pause = min(2*pause, longestPause) {
		moved, err := r.moveInTime(writing, t, decide)
		if err == nil || ctx.Err() != nil {
			return moved, err
		}
		r.options.Logger.Warn("could not store the status of a proof job, and will retry", "error", err, "pause", pause)
		sleep(ctx, pause)
		if ctx.Err() != nil {
			return false, err
		}
	}
}

// moveInTime limits the time of one write.
func (r *Relay) moveInTime(ctx context.Context, t *ticket, decide func(*Job, time.Time) *Change) (bool, error) {
	ctx, cancel := context.WithTimeout(ctx, writeTime)
	defer cancel()
	return r.move(ctx, t.id, t.place, decide)
}

// asDispatched returns the change of a queued job. If the job is dispatched
// already, the answer to an earlier write was lost: nobody else dispatches a job
// in this place of the queue, and nothing was sent.
func asDispatched(j *Job, now time.Time) *Change {
	switch j.Status {
	case Queued:
		return &Change{At: now, To: Dispatched}
	case Dispatched:
		return &Change{At: now}
	case Succeeded, Failed, Unavailable, UnknownDelivery:
	}
	return nil
}

// endAs returns the change to an outcome. A job that has it already stays as it
// is: the answer to an earlier write was lost.
func endAs(o Outcome) func(*Job, time.Time) *Change {
	return func(j *Job, now time.Time) *Change {
		switch {
		case j.Status == o.Status:
			return &Change{At: now}
		case !j.Status.May(o.Status):
			return nil
		}
		change := &Change{At: now, To: o.Status, Result: NoResult}
		if o.Payload != nil {
			change.Result = Held
		}
		if o.Status == Failed {
			change.Code = &o.Code
		}
		return change
	}
}

// sleep waits, or until ctx ends.
func sleep(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}
