package proof

import (
	"strconv"
	"time"

	"astrolabe/domain/prove"
	"astrolabe/graph/scalar"
)

// Job is the status of a proof job.
type Job struct {
	JobID                   string
	Status                  scalar.Enum
	Terminal                bool
	AttemptCount            int
	QueuePosition           *int
	PollAfterSeconds        int
	CreatedAt               time.Time
	CompletedAt             *time.Time
	ResultUnavailableReason *string
	Error                   *Failure
}

// Failure is why a job did not succeed, without the prover's message and data.
type Failure struct {
	Code   string
	Source scalar.Enum
}

func jobOf(j *prove.Job) *Job {
	job := &Job{
		JobID: j.ID, Status: scalar.Enum(j.Status), Terminal: j.Status.Terminal(), AttemptCount: j.Attempts,
		PollAfterSeconds: int(prove.PollAfter / time.Second), CreatedAt: j.CreatedAt, CompletedAt: j.CompletedAt,
	}
	if j.Position > 0 {
		job.QueuePosition = &j.Position
	}
	if j.ResultGone() {
		job.ResultUnavailableReason = new("delivered_or_expired")
	}
	if f := j.Failure(); f != nil {
		job.Error = &Failure{string(f.Code), scalar.Enum(f.Source)}
		if f.Number != nil {
			job.Error.Code = strconv.FormatInt(*f.Number, 10)
		}
	}
	return job
}
