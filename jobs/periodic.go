package jobs

import (
	"context"
	"time"

	"github.com/riverqueue/river"
	"github.com/riverqueue/river/rivertype"
)

// Periodic is a job that runs again and again, and once at start. However many
// processes schedule it, one run at a time waits in the queue or is under way.
//
// Args is the job's own type without fields, whose Kind names the job.
type Periodic[Args river.JobArgs] struct {
	// Every is the time from one run to the next.
	Every time.Duration
	// OncePerPeriod lets at most one run succeed in each period, for jobs that
	// need not run again whenever a process starts. Without it a run begins as
	// soon as it is scheduled and the one before has ended.
	OncePerPeriod bool
	// Queue is a queue of the job's own, for one whose runs take so long that
	// others would wait for them. Empty means the queue that jobs share.
	Queue string
	// Attempts is how often a run is tried that fails, each time after a longer
	// pause. Zero means once: the next run is the next attempt.
	Attempts int
	// Timeout cancels a run; zero means a minute.
	Timeout time.Duration
	// Unscheduled is true in a process that cannot do the job, such as one
	// without nodes: it leaves the scheduling to others.
	Unscheduled bool
	// Run does the work that is due now.
	Run func(ctx context.Context, now time.Time) error
}

// abandoned is after which time the queue no longer counts on a run to end.
// One that its process did not survive stays "running" in the queue for long.
const abandoned = time.Minute

// options are those of every run.
func (p Periodic[Args]) options() *river.InsertOpts {
	unique := river.UniqueOpts{ByPeriod: p.Every} // which counts runs that succeeded, too
	if !p.OncePerPeriod {
		unique = river.UniqueOpts{ByPeriod: abandoned, ByState: []rivertype.JobState{
			rivertype.JobStateAvailable, rivertype.JobStatePending, rivertype.JobStateRunning, rivertype.JobStateScheduled,
		}}
	}
	return &river.InsertOpts{Queue: p.Queue, MaxAttempts: max(p.Attempts, 1), UniqueOpts: unique}
}

// addTo implements Job.
func (p Periodic[Args]) addTo(s *Schedule) {
	river.AddWorker(s.Workers, &worker[Args]{job: p, logger: s.logger, metrics: s.metrics})
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
