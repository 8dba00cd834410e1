package verify

import (
	"context"
	"errors"
	"fmt"
	"time"

	"astrolabe/domain"
	"astrolabe/domain/chain"
	"astrolabe/domain/share"
)

// Jobs creates, reads and moves verification jobs. It is safe for concurrent
// use.
type Jobs struct {
	store    JobStore
	classes  *chain.Classes
	statuses *chain.Statuses
	now      func() time.Time
	uploads  *share.Bytes // on disk; each upload in progress counts as the largest one
	moved    func(State)  // called after each transition
}

// NewJobs makes the service. It looks up declarations among the classes, and
// the statuses say which blocks are indexed.
func NewJobs(store JobStore, classes *chain.Classes, statuses *chain.Statuses, now func() time.Time) *Jobs {
	return &Jobs{
		store: store, classes: classes, statuses: statuses, now: now,
		uploads: share.New(MaxUploads*MaxUpload, OwnUploads*MaxUpload), moved: func(State) {},
	}
}

// OnTransition sets what is called after each transition of a job to a state, its creation
// included. It is set before the service is used.
func (j *Jobs) OnTransition(moved func(State)) { j.moved = moved }

// Of returns a job of a workspace. A job of another workspace or chain and an ID
// that no job can have are not_found, with the same text.
func (j *Jobs) Of(ctx context.Context, c domain.Chain, workspace, id string) (*Job, error) {
	if !idForm.MatchString(id) {
		return nil, absent()
	}
	job, err := j.store.Job(ctx, id)
	if err != nil {
		return nil, err
	}
	if job == nil || job.Workspace != workspace || job.Chain != c {
		return nil, absent()
	}
	return job, nil
}

// List returns a page of the jobs of a workspace, newest first.
func (j *Jobs) List(ctx context.Context, c domain.Chain, workspace string, page domain.PageRequest) (domain.Page[Job], error) {
	return j.store.Jobs(ctx, c, workspace, page)
}

// Cancel cancels a job. A job that has already ended is returned unchanged, so
// whichever of a cancellation and a result is stored first stays.
func (j *Jobs) Cancel(ctx context.Context, c domain.Chain, workspace, id string) (*Job, error) {
	if _, err := j.current(ctx, c, workspace, id); err != nil {
		return nil, err
	}
	job, _, err := j.move(ctx, id, (*Job).cancel)
	return job, err
}

func (j *Job) cancel(now time.Time) *Change {
	if j.State.Terminal() {
		return nil
	}
	return &Change{At: now, To: Cancelled}
}

// current is Of for a change of the job: one whose upload window has ended is
// expired first.
func (j *Jobs) current(ctx context.Context, c domain.Chain, workspace, id string) (*Job, error) {
	job, err := j.Of(ctx, c, workspace, id)
	if err == nil && job.overdue(j.now()) {
		job, _, err = j.move(ctx, id, (*Job).expire)
	}
	return job, err
}

// move makes the change that decide returns for a job, if any.
func (j *Jobs) move(ctx context.Context, id string, decide func(*Job, time.Time) *Change) (job *Job, changed bool, err error) {
	var made *Change
	var illegal error
	job, err = j.store.ChangeJob(ctx, id, func(job *Job) *Change {
		made = decide(job, later(domain.Milliseconds(j.now()), job.UpdatedAt))
		if made != nil && made.To != "" && !job.State.May(made.To) {
			made, illegal = nil, fmt.Errorf("a verification job must not move from %s to %s", job.State, made.To)
		}
		return made
	})
	switch {
	case err != nil || illegal != nil:
		return nil, false, errors.Join(err, illegal)
	case job == nil:
		return nil, false, absent()
	case made != nil && made.To != "":
		j.moved(made.To)
	}
	return job, made != nil, nil
}

// later keeps a history in order when the clocks of two processes differ.
func later(a, b time.Time) time.Time {
	if a.Before(b) {
		return b
	}
	return a
}

func earlier(a, b time.Time) time.Time {
	if b.Before(a) {
		return b
	}
	return a
}

func absent() error {
	return domain.Errorf(domain.CodeNotFound, "The verification job does not exist.")
}
