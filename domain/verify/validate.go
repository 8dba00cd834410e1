package verify

import (
	"context"
	"errors"
	"io"
	"time"
)

// ErrSourceDeleted means that the source of a job is not stored any more.
var ErrSourceDeleted = errors.New("the source was deleted")

// Checker checks a source archive against all rules. It returns a *Failure for
// a source that breaks one; every other error says that it could not decide.
type Checker interface {
	Check(r io.Reader, p Package) error
}

// Validate checks the source of a job and moves it to queued or failed. A job
// that is not validating is left as it is: another process was faster, or the
// owner cancelled it. The job is not locked while its source is checked, so that
// a cancellation does not wait.
func (j *Jobs) Validate(ctx context.Context, id string, checker Checker) error {
	job, err := j.store.Job(ctx, id)
	if err != nil || job == nil || job.State != Validating {
		return err
	}
	source := &reading{Reader: j.store.Source(ctx, job)}
	err = checker.Check(source, job.Package)
	failure, refused := errors.AsType[*Failure](err)
	switch {
	case errors.Is(source.err, ErrSourceDeleted):
		return nil // upkeep has ended the job
	case source.err != nil:
		return source.err
	case err != nil && !refused:
		return err
	}
	_, _, err = j.move(ctx, id, func(job *Job, now time.Time) *Change {
		switch {
		case job.State != Validating:
			return nil
		case refused:
			return &Change{At: now, To: Failed, Failure: failure}
		}
		return &Change{At: now, To: Queued}
	})
	return err
}

// reading remembers why a source could not be read, so that an outage is never
// taken for a fault of the source.
type reading struct {
	io.Reader
	err error // nil at the end of the source
}

// Read implements io.Reader.
func (r *reading) Read(p []byte) (int, error) {
	n, err := r.Reader.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		r.err = err
	}
	return n, err
}
