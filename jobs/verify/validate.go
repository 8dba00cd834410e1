package verify

import (
	"context"
	"io"
	"time"

	"astrolabe/domain/verify"
	"astrolabe/failpoint"
	"astrolabe/jobs"
)

// validationTime limits one validation. An archive is checked in seconds.
const validationTime = 90 * time.Second

// Validate checks uploaded sources.
type Validate struct {
	Jobs    *verify.Jobs
	Checker verify.Checker
}

// Job returns the job for a schedule.
func (w *Validate) Job() jobs.Job {
	return jobs.Queued[verify.Validation]{Timeout: validationTime, Run: w.Run}
}

// Run checks the source of one job, unless that was done before.
func (w *Validate) Run(ctx context.Context, v verify.Validation) error {
	return w.Jobs.Validate(ctx, v.JobID, checked{w.Checker})
}

// checked is a checker with a failpoint.
type checked struct{ verify.Checker }

// Check implements verify.Checker.
func (c checked) Check(r io.Reader, p verify.Package) error {
	err := c.Checker.Check(r, p)
	failpoint.Hit(failpoint.VerifyChecked)
	return err
}
