package verify

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// Upkeep is what time does to jobs.
type Upkeep string

// The acts of upkeep.
const (
	ExpireUpload     Upkeep = "expire_upload"     // the upload window has ended without a source
	DeleteSource     Upkeep = "delete_source"     // the retention of a source has ended
	RepeatValidation Upkeep = "repeat_validation" // a job is validating for longer than ValidationPatience
	AbandonBuild     Upkeep = "abandon_build"     // the lease of a build was not renewed for BuildPatience
	AbandonCompare   Upkeep = "abandon_compare"   // a job is comparing for longer than ComparisonLimit
)

// ValidationPatience is how long a job may be validating before its validation
// is queued again: the process that checked it was killed.
const ValidationPatience = 2 * time.Minute

// ValidationLimit is how long a job may be validating at all. A check that no
// process could end would otherwise occupy them again and again.
const ValidationLimit = 20 * time.Minute

// ComparisonLimit is how long a job may be comparing. A controller decides within
// seconds, so none is running, and the workspace could create no other job.
const ComparisonLimit = 20 * time.Minute

const upkeepBatch = 100 // jobs per statement

// KeepUp does everything that is due, and returns how many jobs each act
// changed. A failure of one act does not keep the others from being done. It also
// forgets builders that were not seen for a day.
func (j *Jobs) KeepUp(ctx context.Context) (done map[Upkeep]int, err error) {
	done = make(map[Upkeep]int)
	for _, upkeep := range []struct {
		act    Upkeep
		decide func(*Job, time.Time) *Change
	}{
		{ExpireUpload, (*Job).expire},
		{DeleteSource, (*Job).deleteSource},
		{RepeatValidation, (*Job).repeat},
		{AbandonBuild, (*Job).abandon},
		{AbandonCompare, (*Job).abandonComparison},
	} {
		count, failure := j.each(ctx, upkeep.act, upkeep.decide)
		done[upkeep.act] = count
		err = errors.Join(err, failure)
	}
	return done, errors.Join(err, j.store.ForgetBuilders(ctx, j.now().Add(-day)))
}

// each does one act on every job for which it is due. A batch with a job that
// fails is the last one: its other jobs are done, and the next upkeep continues.
func (j *Jobs) each(ctx context.Context, act Upkeep, decide func(*Job, time.Time) *Change) (total int, err error) {
	for {
		ids, err := j.store.DueJobs(ctx, act, j.now(), upkeepBatch)
		if err != nil {
			return total, err
		}
		count, err := j.moveAll(ctx, ids, decide)
		total += count
		// A repeated validation is still due, and is repeated once.
		if err != nil || act == RepeatValidation || count < upkeepBatch {
			return total, err
		}
	}
}

// moveAll moves each of the jobs and returns how many it changed. The error joins
// those of the jobs that could not be moved.
func (j *Jobs) moveAll(ctx context.Context, ids []string, decide func(*Job, time.Time) *Change) (count int, err error) {
	for _, id := range ids {
		_, changed, failure := j.move(ctx, id, decide)
		if failure != nil {
			err = errors.Join(err, fmt.Errorf("verification job %s: %w", id, failure))
		}
		if changed {
			count++
		}
	}
	return count, err
}

func (j *Job) expire(now time.Time) *Change {
	if !j.overdue(now) {
		return nil
	}
	return &Change{At: now, To: Expired}
}

// deleteSource deletes a source whose retention has ended. A job that still needs
// it fails.
func (j *Job) deleteSource(now time.Time) *Change {
	if j.SourceExpiresAt == nil || j.SourceDeletedAt != nil || now.Before(*j.SourceExpiresAt) {
		return nil
	}
	change := &Change{At: now, DeleteSource: true}
	if !j.State.Terminal() {
		change.To = Failed
		change.Failure = &Failure{DispatchFailed, "The service could not build the source before its retention ended, and has deleted it. Create a new job with the same source under a new idempotency key."}
	}
	return change
}

// repeat queues the validation of a job again, or ends a job whose validation was
// repeated for too long.
func (j *Job) repeat(now time.Time) *Change {
	switch {
	case j.State != Validating || now.Before(j.UpdatedAt.Add(ValidationPatience)):
		return nil
	case !now.Before(j.UpdatedAt.Add(ValidationLimit)):
		return &Change{At: now, To: Failed, Failure: &Failure{DispatchFailed, "The service could not check the source in time. Create a new job with the same source under a new idempotency key."}}
	}
	return &Change{At: now, Validate: true}
}

// abandonComparison ends a job that no controller decides on.
func (j *Job) abandonComparison(now time.Time) *Change {
	if j.State != Comparing || now.Before(j.UpdatedAt.Add(ComparisonLimit)) {
		return nil
	}
	return &Change{At: now, To: Failed, Failure: &Failure{DispatchFailed, "The source was built, but the service did not compare the class in time. Create a new job with the same source under a new idempotency key."}}
}
