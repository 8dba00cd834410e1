package verify

import (
	"context"
	"io"
	"time"

	"astrolabe/domain"
)

// JobStore stores jobs, their history and their sources. Every change of a job
// is one transaction with the row of its history and the work that follows. The
// change that ends a job also deletes its candidate.
type JobStore interface {
	// JobByKey returns the job that a workspace created with an idempotency key,
	// nil if there is none.
	JobByKey(ctx context.Context, workspace, key string) (*Job, error)
	// AddJob stores a new job, with the first row of its history, and counts it
	// for the UTC day of its creation. If the workspace has used the idempotency
	// key already, it returns that job and false. If admit fails, it returns that
	// error and changes nothing. Calls of one workspace wait for each other, and
	// so do those that count all jobs: admit sees every job that was added
	// before.
	AddJob(ctx context.Context, job *Job, admit func(Load) error) (stored *Job, added bool, err error)
	// Job returns a job of any workspace, nil if there is none.
	Job(ctx context.Context, id string) (*Job, error)
	// ActiveJob returns the job of a workspace that has not ended, nil if there
	// is none.
	ActiveJob(ctx context.Context, workspace string) (*Job, error)
	// Jobs returns a page of the jobs of a workspace on a chain, newest first.
	Jobs(ctx context.Context, c domain.Chain, workspace string, page domain.PageRequest) (domain.Page[Job], error)
	// ChangeJob locks a job, lets decide look at it and makes the change that it
	// returns, if any, all in one transaction. It returns the job as it is
	// afterwards. Without a job, it returns nil and does not call decide.
	ChangeJob(ctx context.Context, id string, decide func(*Job) *Change) (*Job, error)
	// Source returns the committed source of a job, which is fetched while it is
	// read. Reading fails with ErrSourceDeleted once the source is deleted.
	Source(ctx context.Context, job *Job) io.Reader

	// DueJobs returns at most most IDs of jobs that need an act of upkeep at a
	// time, those that are due for longest first.
	DueJobs(ctx context.Context, act Upkeep, now time.Time, most int) ([]string, error)
	// Builders returns the processes that can build, or say why they cannot, and
	// were seen since a time: the ready ones first, then the newest.
	Builders(ctx context.Context, since time.Time) ([]Builder, error)
	// ForgetBuilders deletes builders that were not seen since a time.
	ForgetBuilders(ctx context.Context, since time.Time) error
}

// Load is what limits new jobs.
type Load struct {
	Active bool // the workspace has a job that has not ended
	Today  int  // jobs that the workspace created in the same UTC day
	Queue  int  // jobs of all workspaces that have not ended
}

// Change is a change of a job.
type Change struct {
	At time.Time
	// To is the next state; empty if the state does not change.
	To State
	// Failure is why the next state is Failed or Mismatch.
	Failure *Failure
	// Source is committed with the change; nil if there is none.
	Source *Source
	// DeleteSource deletes the stored source.
	DeleteSource bool
	// Validate queues a Validation of the job.
	Validate bool
	// Lease is stored as the last attempt at building the job; nil if that does not
	// change.
	Lease *Lease
	// Build is what is known of a build that has ended; nil if none has.
	Build *Build
	// Candidate is the class that was built, stored until the job ends.
	Candidate []byte
}

// Ends reports whether the job ends with the change.
func (c *Change) Ends() bool { return c.To != "" && c.To.Terminal() }

// Source is a source that was checked for its length and digest.
type Source struct {
	Body      io.Reader
	ExpiresAt time.Time
}

// Validation is the queued work of checking the source of a job.
type Validation struct {
	JobID string `json:"jobId"`
}

// Kind names the work in the queue.
func (Validation) Kind() string { return "verify_validate" }
