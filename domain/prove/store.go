package prove

import (
	"context"
	"time"

	"astrolabe/domain"
)

// Store stores jobs and budgets. It never receives anything of a body or result
// but keyed digests. Every change of a job is one transaction.
type Store interface {
	// JobByKey returns the job that a workspace created with an idempotency key,
	// nil if there is none. The key has any of the digests.
	JobByKey(ctx context.Context, workspace string, digests []Digest) (*Job, error)
	// Admit decides on a submission. It calls decide with the job of the
	// idempotency key, nil if there is none, and with the load if a place in the
	// queue is needed. Then it stores the new job with the first of the digests
	// and debits the budget of its key (Added), or queues the known one again
	// with the holder, key and time of the new one (Requeued), or changes nothing
	// (Replayed). If decide fails, it returns that error and changes nothing.
	// Submissions of one workspace wait for each other, and so do those that need
	// a place: decide sees all that were stored before.
	Admit(ctx context.Context, job *Job, digests []Digest, decide func(known *Job, load Load) (Admission, error)) (*Job, Admission, error)
	// Job returns a job of any workspace, nil if there is none.
	Job(ctx context.Context, id string) (*Job, error)
	// Jobs returns a page of the jobs of a workspace, newest first.
	Jobs(ctx context.Context, workspace string, page domain.PageRequest) (domain.Page[Job], error)
	// ChangeJob locks a job, lets decide look at it and makes the change that it
	// returns, if any, all in one transaction. It returns the job as it is
	// afterwards. Without a job, it returns nil and does not call decide.
	ChangeJob(ctx context.Context, id string, decide func(*Job) *Change) (*Job, error)

	// Beat writes the heartbeat of the jobs that a holder still holds, by the
	// clock of the store, and returns them. A job is held until it has ended and
	// its result is gone.
	Beat(ctx context.Context, holder string, jobs []string) (held []string, err error)
	// Sweep ends the jobs of silent holders: those without a heartbeat for so
	// long, by the clock of the store, except for the spared ones. A queued job
	// becomes Unavailable and a dispatched one UnknownDelivery at the given time,
	// and a held result Expired. It returns how many jobs got each status, and
	// how many results expired.
	Sweep(ctx context.Context, silence time.Duration, spared []string, at time.Time) (ended map[Status]int, expired int, err error)
	// Forget deletes the digests of jobs that were created before a time and have
	// ended, and the budgets of days before it.
	Forget(ctx context.Context, before time.Time) error
}

// Admission is what became of a submission.
type Admission int

// The admissions.
const (
	Replayed Admission = iota // the job was known and is unchanged
	Added                     // the job is new
	Requeued                  // the job was unavailable and is queued again
)

// Change is a change of a job.
type Change struct {
	At     time.Time
	To     Status      // the next status; empty if it does not change
	Code   *int64      // the prover's code, if To is Failed
	Result ResultState // the next state of the result; empty if it does not change
}
