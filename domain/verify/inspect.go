package verify

import (
	"context"
	"fmt"
	"slices"

	"astrolabe/domain/verify/transparency"
)

// The checks of InspectJobs.
const (
	checkHistory = "job histories"
	checkOutcome = "job outcomes"
)

// JobEvidence has all jobs.
type JobEvidence interface {
	// JobsAfter returns the next jobs after an ID, in order. Their histories are
	// whole, also where they do not fit to the state of the job. Of a job, they have
	// what InspectJobs compares.
	JobsAfter(ctx context.Context, after string, most int) ([]StoredJob, error)
}

// StoredJob is a job as its rows are.
type StoredJob struct {
	Job
	// Unreadable says why a column cannot be read; nil if all can.
	Unreadable error
}

// jobsAtOnce is the number of jobs per read.
const jobsAtOnce = 500

// InspectJobs checks the history of every job, and that its failure, the class hash
// that was built and its receipt fit to its state. It returns at most limit faults,
// none of which has a repair: only a backup knows what happened.
func InspectJobs(ctx context.Context, evidence JobEvidence, limit int) (faults []transparency.Fault, err error) {
	for after := ""; ; {
		batch, err := evidence.JobsAfter(ctx, after, jobsAtOnce)
		if err != nil || len(batch) == 0 {
			return faults, err
		}
		for i := range batch {
			job := &batch[i]
			after = job.ID
			if fault := historyFault(job.History, job.State); fault != "" {
				faults = append(faults, transparency.Fault{Check: checkHistory, Detail: fmt.Sprintf("the history of job %s is not allowed: %s", job.ID, fault)})
			}
			if fault := job.outcomeFault(); fault != "" {
				faults = append(faults, transparency.Fault{Check: checkOutcome, Detail: fmt.Sprintf("job %s, which is %s, %s", job.ID, job.State, fault)})
			}
			if len(faults) >= limit {
				return faults[:limit], nil
			}
		}
	}
}

// outcomeFault returns what does not fit to the state of a job, and the empty string
// if everything does.
func (j *StoredJob) outcomeFault() string {
	selected, produced, f := j.Package.SelectedClassHash, j.ProducedClassHash, j.Failure
	ended := j.State == Succeeded || j.State == Mismatch || j.State == Failed
	switch {
	case j.Unreadable != nil:
		return fmt.Sprintf("cannot be read: %v", j.Unreadable)
	case f == nil && (j.State == Failed || j.State == Mismatch):
		return "has no failure"
	case f != nil && j.State != Failed && j.State != Mismatch:
		return fmt.Sprintf("has the failure %s", f.Code)
	case f != nil && (!slices.Contains(FailureCodes, f.Code) || f.Message == ""):
		return fmt.Sprintf("has the unknown failure %q or no message", f.Code)
	case f != nil && (f.Code == ClassHashMismatch) != (j.State == Mismatch):
		return fmt.Sprintf("has the failure %s", f.Code)
	case produced != nil && !ended:
		return "has a produced class hash"
	case produced == nil && (j.State == Succeeded || j.State == Mismatch):
		return "has no produced class hash"
	case produced != nil && (*produced == selected) == (j.State == Mismatch):
		return fmt.Sprintf("has the produced class hash %s, and the selected one is %s", produced, selected)
	case (j.ReceiptID != nil) != (j.State == Succeeded):
		return "has a receipt although it did not succeed, or succeeded without one"
	}
	return ""
}
