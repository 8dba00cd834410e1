package jobs

import (
	"context"
	"time"

	"github.com/riverqueue/river"
	"github.com/riverqueue/river/rivertype"
)

// Periodic is a job that runs at startup and then at intervals. However many
// processes schedule it, at most one run is queued or running.
//
// Args is a type without fields whose Kind names the job.
type Periodic[Args river.JobArgs] struct {
	// Every is the time from one run to the next.
	Every time.Duration
	// OncePerPeriod allows at most one successful run per period, for jobs that
	// need not run again whenever a process starts. Without it, a run starts as
	// soon as it is scheduled and the previous one has ended.
	OncePerPeriod bool
	// Queue is a dedicated queue, for a job whose long runs would delay others.
	// Empty means the shared queue.
	Queue string
	// Attempts is the maximum number of attempts of a failing run, with growing
	// pauses. Zero means one: the next run is the next attempt.
	Attempts int
	// Timeout cancels a run; zero means a minute.
	Timeout time.Duration
	// Unscheduled is true in a process that cannot do the job, such as one
	// without nodes. Other processes schedule it.
	Unscheduled bool
	// Run does the work that is due.
	Run func(ctx context.Context, now time.Time) error
}

// abandoned is the time after which a running job no longer blocks the next
// one. The run of a process that crashed stays "running" in the queue for long.
const abandoned = time.Minute

// options returns the insert options of every run.
func (p Periodic[Args]) options() *river.InsertOpts {
	unique := river.UniqueOpts{ByPeriod: p.Every} // this also counts successful runs
	if !p.OncePerPeriod {
		unique = river.UniqueOpts{ByPeriod: abandoned, ByState: []rivertype.JobState{
			rivertype.JobStateAvailable, rivertype.JobStatePending, rivertype.JobStateRunning, rivertype.JobStateScheduled,
		}}
	}
	return &river.InsertOpts{Queue: p.Queue, MaxAttempts: max(p.Attempts, 1), UniqueOpts: unique}
}

// addTo implements Job.
func (p Periodic[Args]) addTo(s *Schedule) {
	river.AddWorker(s.Workers, &worker[Args]{job: p, reporter: newReporter((*new(Args)).Kind(), s.logger, s.metrics)})
	if p.Queue != "" {
		s.Queues = append(s.Queues, p.Queue)
	}
	if p.Unscheduled {
		return
	}
	s.Periodic = append(s.Periodic, river.NewPeriodicJob(river.PeriodicInterval(p.Every),
		func() (river.JobArgs, *river.InsertOpts) { return *new(Args), p.options() },
		&river.PeriodicJobOpts{RunOnStart: true}))
}
