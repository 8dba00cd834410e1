package prove

import (
	"context"
	"time"

	"astrolabe/domain"
)

const retryPeer = 5 * time.Second

// Poll returns a job of a workspace and, to one caller only, what the job
// delivers. The job of that caller has the result state Delivered.
//
// Delivery is at most once: the row says Delivered before the payload leaves the
// holder, and a caller whose connection breaks then loses the payload. If the row
// cannot be written, nothing was delivered, and the next poll tries again.
//
// The errors are not_found, and service_unavailable if the holder cannot be
// reached.
func (r *Relay) Poll(ctx context.Context, workspace, id string) (*Job, *Payload, error) {
	job, err := r.Of(ctx, workspace, id)
	if err != nil || job.Result != Held {
		return job, nil, err
	}
	payload, err := r.fetch(ctx, job)
	if err != nil {
		return nil, nil, err
	}
	job.Result = Delivered // to this caller or, just before, to another one
	return job, payload, nil
}

// fetch asks the holder of a job for its payload.
func (r *Relay) fetch(ctx context.Context, job *Job) (*Payload, error) {
	switch {
	case job.Holder.ID == r.holder.ID:
		return r.Deliver(ctx, job.ID)
	case r.options.Peers == nil || job.Holder.Address == "":
		return nil, domain.Unavailable(retryPeer, nil, "The process that holds the result cannot be reached. Retry.")
	}
	payload, err := r.options.Peers.Deliver(ctx, job.Holder, job.ID)
	if err != nil && ctx.Err() == nil {
		return nil, domain.Unavailable(retryPeer, err, "The process that holds the result cannot be reached. Retry.")
	}
	return payload, err
}

// Deliver gives away the payload of a job that this process holds; nil if it no
// longer has it. Only one caller ever gets it. The memory of the holder decides
// who: concurrent callers wait until the row of the first one is written.
//
// Poll calls it, and so does the listener for other processes, which have checked
// whose job it is.
func (r *Relay) Deliver(ctx context.Context, id string) (*Payload, error) {
	held := r.results.of(id, r.options.Now())
	if held == nil {
		return nil, nil
	}
	select {
	case held.turn <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	defer func() { <-held.turn }()
	if held.gone {
		return nil, nil
	}
	mine, err := r.move(ctx, id, held.place, func(j *Job, now time.Time) *Change {
		switch j.Result {
		case Held:
			return &Change{At: now, Result: Delivered}
		case Delivered: // the answer to an earlier write was lost
			return &Change{At: now}
		case NoResult, Expired:
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	held.gone = true
	r.results.drop(id, held.place)
	if !mine { // another process has declared this one dead
		return nil, nil
	}
	return held.payload, nil
}
