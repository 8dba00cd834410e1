package live

import (
	"context"
	"sync"
	"time"

	"astrolabe/domain/verify"
	"astrolabe/graph/fault"
)

// JobSubscriber follows one verification job.
type JobSubscriber struct {
	ID string
	// Read reads the job. Its first error is that of the subscription.
	Read func(context.Context) (*verify.Job, error)
	// Send hands over the job in its next state. It returns when the subscriber
	// has taken it or has left.
	Send func(*verify.Job)
	// Close is called once, after the last state.
	Close func()
}

// FollowJob sends a job as it is, and then as it is in each further state, until
// the state is terminal or ctx ends. States that the job has passed between two
// reads are sent one by one. No subscriber falls behind by more than the few
// states of a job, so none is dropped for that. The transport disconnects a
// client that leaves a message unread.
func (h *Hub) FollowJob(ctx context.Context, s JobSubscriber) error {
	moved := h.jobs.join(s.ID) // before the first read, so that no move is missed
	job, err := h.readJob(ctx, s)
	if err != nil {
		h.jobs.leave(s.ID, moved)
		return err
	}
	go func() {
		defer s.Close()
		defer h.jobs.leave(s.ID, moved)
		h.sendJob(ctx, s, job, moved)
	}()
	return nil
}

// sendJob sends every state of a job from the one that was read first.
func (h *Hub) sendJob(ctx context.Context, s JobSubscriber, job *verify.Job, moved <-chan struct{}) {
	poll := time.NewTicker(h.PollJobsEvery)
	defer poll.Stop()
	s.Send(job)
	for sent := len(job.History); !job.State.Terminal(); sent = len(job.History) {
		select {
		case <-moved:
		case <-poll.C:
		case <-ctx.Done():
			return
		}
		if job = h.rereadJob(ctx, s); job == nil {
			return
		}
		for move := sent; move < len(job.History); move++ {
			s.Send(job.AsOf(move))
		}
	}
}

// rereadJob reads a job until that succeeds. It returns nil when ctx has ended, and
// after too many failures, with which the stream ends.
func (h *Hub) rereadJob(ctx context.Context, s JobSubscriber) *verify.Job {
	for failures := 0; ; failures++ {
		job, err := h.readJob(ctx, s)
		switch {
		case ctx.Err() != nil:
			return nil
		case err == nil:
			return job
		case failures == maxFailures:
			end(ctx, fault.Unreadable(err, retryStream))
			return nil
		}
		pause(ctx, h.PollEvery)
	}
}

func (h *Hub) readJob(ctx context.Context, s JobSubscriber) (job *verify.Job, err error) {
	err = h.Read(ctx, func(ctx context.Context) error {
		job, err = s.Read(ctx)
		return err
	})
	return job, err
}

// jobs passes notifications on to those who follow verification jobs.
type jobs struct {
	mu        sync.Mutex
	followers map[string]map[chan struct{}]struct{} // by the ID of the job
}

// join returns a channel that has a value when the job may have moved.
func (j *jobs) join(id string) chan struct{} {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.followers[id] == nil {
		j.followers[id] = map[chan struct{}]struct{}{}
	}
	moved := make(chan struct{}, 1)
	j.followers[id][moved] = struct{}{}
	return moved
}

func (j *jobs) leave(id string, moved chan struct{}) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if delete(j.followers[id], moved); len(j.followers[id]) == 0 {
		delete(j.followers, id)
	}
}

// notify says that a job may have moved; an empty ID, that any may have. It never
// blocks.
func (j *jobs) notify(id string) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if id != "" {
		wake(j.followers[id])
		return
	}
	for _, followers := range j.followers {
		wake(followers)
	}
}

func wake(followers map[chan struct{}]struct{}) {
	for moved := range followers {
		select {
		case moved <- struct{}{}:
		default: // an earlier notification is still waiting
		}
	}
}
