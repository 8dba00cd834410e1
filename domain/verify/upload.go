package verify

import (
	"context"
	"io"
	"time"

	"astrolabe/domain"
)

const (
	// MaxUploads is how many uploads a process receives at the same time.
	MaxUploads = 8
	// OwnUploads is how many of them may be of one workspace: slow ones leave room
	// for others.
	OwnUploads = MaxUploads / 2

	retryUpload = 5 * time.Second
)

// Upload commits the source of a job: body must have exactly length bytes, and
// with them the length and digest that the package states. Once it returns
// committed, the source is stored and its validation queued. An identical
// replay returns the job and false, also while the first upload is in progress
// and when the job has ended since.
//
// The errors are not_found; payload_too_large; verification_job_terminal;
// verification_source_committed for other bytes after the commit;
// verification_upload_mismatch, which leaves the job awaiting its upload;
// service_unavailable while MaxUploads are in progress, or OwnUploads of the workspace.
func (j *Jobs) Upload(ctx context.Context, c domain.Chain, workspace, id string, length int64, body io.Reader) (job *Job, committed bool, err error) {
	if job, err = j.current(ctx, c, workspace, id); err != nil {
		return nil, false, err
	}
	switch stated := job.Package.UploadByteLength; {
	case length > MaxUpload:
		return nil, false, domain.Errorf(domain.CodePayloadTooLarge, "A source archive must have at most %d bytes, got %d.", MaxUpload, length)
	case length != stated:
		return nil, false, job.refuse("The package states %d bytes, but the upload has %d.", stated, length)
	case job.State.Terminal() && !job.committed():
		return nil, false, job.terminal()
	}
	if !j.uploads.Try(workspace, MaxUpload) {
		return nil, false, domain.Unavailable(retryUpload, nil, "Too many uploads are in progress: the limit is %d per process and %d per workspace. Retry.", MaxUploads, OwnUploads)
	}
	defer j.uploads.Change(workspace, -MaxUpload)
	file, err := spool(body, length)
	if err != nil {
		return nil, false, err
	}
	defer func() { _ = file.Close() }()
	if file.length != length || file.digest != job.Package.UploadDigest {
		return nil, false, j.mismatch(ctx, job, length, file)
	}
	job, committed, err = j.move(ctx, id, func(job *Job, now time.Time) *Change { return job.commit(file, now) })
	if err == nil && !job.committed() {
		return nil, false, job.terminal()
	}
	return job, committed, err
}

// commit decides on an upload with the right bytes.
func (j *Job) commit(body io.Reader, now time.Time) *Change {
	switch {
	case j.State != AwaitingUpload:
		return nil
	case j.overdue(now):
		return j.expire(now)
	}
	policy, _ := retentionOf(j.Package.RetentionPolicyID)
	return &Change{At: now, To: Validating, Source: &Source{body, now.Add(policy.Keep)}, Validate: true}
}

// mismatch is the error of an upload with other bytes, by the state that the job
// has after it was received.
func (j *Jobs) mismatch(ctx context.Context, job *Job, length int64, file *spooled) error {
	job, err := j.current(ctx, job.Chain, job.Workspace, job.ID)
	switch {
	case err != nil:
		return err
	case file.length != length:
		return job.refuse("The upload was announced with %d bytes, but has %d.", length, file.length)
	}
	return job.refuse("The package states the digest %s, but the upload has %s.", job.Package.UploadDigest, file.digest)
}

// refuse is the error of an upload with other bytes than the package states.
func (j *Job) refuse(format string, args ...any) error {
	switch {
	case j.State.Terminal():
		return j.terminal()
	case j.committed():
		return domain.Errorf(domain.CodeVerificationSourceCommitted, "The job already has its source, and the uploaded bytes differ from it. Nothing was changed.")
	}
	return domain.Errorf(domain.CodeVerificationUploadMismatch, format+" The job still awaits its upload.", args...)
}

// terminal is the error of an upload for a job that has ended.
func (j *Job) terminal() error {
	return domain.Errorf(domain.CodeVerificationJobTerminal, "The job is %s, so it accepts no source. Create a new job under a new idempotency key.", domain.Choice(j.State))
}
