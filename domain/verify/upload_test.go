package verify_test

import (
	"bytes"
	"io"
	"slices"
	"sync"
	"testing"
	"testing/iotest"
	"time"

	"astrolabe/domain"
	"astrolabe/domain/verify"
	"astrolabe/repo/repotest"
	store "astrolabe/repo/verify"
)

func TestUploadCommitsTheExactBytes(t *testing.T) {
	t.Parallel()
	i := newIntake(t, repotest.Followed)
	job := i.creates("a", "first")
	i.clock.passes(time.Minute)
	i.commits(job.ID)
	job = i.is(job.ID, verify.AwaitingUpload, verify.Validating)
	if at := noon.Add(time.Minute); !job.SourceCommittedAt.Equal(at) || !job.SourceExpiresAt.Equal(at.Add(24*time.Hour)) {
		t.Errorf("got a source committed at %s until %s, want %s and a day more", job.SourceCommittedAt, job.SourceExpiresAt, at)
	}
	stored, err := io.ReadAll(store.NewJobs(i.db).Source(t.Context(), job))
	if err != nil || !bytes.Equal(stored, archive) {
		t.Errorf("got %d bytes and %v, want the %d that were uploaded", len(stored), err, len(archive))
	}
	if n := i.count("verification_sources"); n != 3 {
		t.Errorf("got %d pieces, want 3 of at most 256 KiB", n)
	}
	if n := i.count("river_job WHERE kind = 'verify_validate' AND args->>'jobId' = $1", job.ID); n != 1 {
		t.Errorf("got %d queued validations, want 1", n)
	}
}

func TestOtherBytesLeaveTheJobAwaitingItsUpload(t *testing.T) {
	t.Parallel()
	i := newIntake(t, repotest.Followed)
	job := i.creates("a", "first")
	other := slices.Clone(archive)
	other[len(other)/2] ^= 1
	for name, upload := range map[string]struct {
		length int64
		body   io.Reader
		want   domain.Code
	}{
		"one bit differs":         {int64(len(archive)), bytes.NewReader(other), domain.CodeVerificationUploadMismatch},
		"another length":          {int64(len(archive) - 1), bytes.NewReader(archive[1:]), domain.CodeVerificationUploadMismatch},
		"nothing":                 {0, bytes.NewReader(nil), domain.CodeVerificationUploadMismatch},
		"the body ends early":     {int64(len(archive)), bytes.NewReader(archive[1:]), domain.CodeVerificationUploadMismatch},
		"the connection breaks":   {int64(len(archive)), io.MultiReader(bytes.NewReader(archive[1:]), iotest.ErrReader(io.ErrUnexpectedEOF)), domain.CodeVerificationUploadMismatch},
		"the body goes on":        {int64(len(archive)), io.MultiReader(bytes.NewReader(archive), bytes.NewReader(archive)), domain.CodeVerificationUploadMismatch},
		"more than 10 MiB":        {verify.MaxUpload + 1, bytes.NewReader(nil), domain.CodePayloadTooLarge},
		"the body cannot be read": {int64(len(archive)), iotest.ErrReader(io.ErrClosedPipe), domain.CodeInternal},
	} {
		_, _, err := i.Upload(t.Context(), domain.Mainnet, "a", job.ID, upload.length, upload.body)
		if domain.CodeOf(err) != upload.want {
			t.Errorf("%s: got %v, want %s", name, err, upload.want)
		}
	}
	i.is(job.ID, verify.AwaitingUpload)
	if n := i.count("verification_sources") + i.count("river_job"); n != 0 {
		t.Errorf("got %d rows after refused uploads, want none", n)
	}
	i.commits(job.ID)
}

func TestIdenticalUploadsAreCommittedOnce(t *testing.T) {
	t.Parallel()
	i := newIntake(t, repotest.Followed)
	job := i.creates("a", "first")
	const uploads = verify.OwnUploads
	outcomes := make(chan bool, uploads)
	var group sync.WaitGroup
	for range uploads {
		group.Go(func() {
			_, committed, err := i.uploads(job.ID, archive)
			if err != nil {
				t.Errorf("got %v, want every identical upload accepted", err)
			}
			outcomes <- committed
		})
	}
	group.Wait()
	close(outcomes)
	commits := 0
	for committed := range outcomes {
		if committed {
			commits++
		}
	}
	if commits != 1 || i.count("verification_sources") != 3 || i.count("river_job") != 1 {
		t.Errorf("got %d commits, %d pieces and %d queued validations, want 1, 3 and 1", commits, i.count("verification_sources"), i.count("river_job"))
	}
	i.is(job.ID, verify.AwaitingUpload, verify.Validating)
	for _, state := range []verify.State{verify.Queued, verify.Building, verify.Comparing, verify.Mismatch} {
		i.moves(job.ID, state)
		if again, committed, err := i.uploads(job.ID, archive); err != nil || committed || again.State != state {
			t.Errorf("replay while %s: got committed %t and %v, want the job", state, committed, err)
		}
	}
}

func TestCommittedSourceIsNotReplaced(t *testing.T) {
	t.Parallel()
	i := newIntake(t, repotest.Followed)
	job := i.creates("a", "first")
	i.commits(job.ID)
	other := bytes.Repeat([]byte("x"), len(archive))
	for _, content := range [][]byte{other, other[1:]} {
		_, _, err := i.uploads(job.ID, content)
		i.coded(err, domain.CodeVerificationSourceCommitted)
	}
	i.moves(job.ID, verify.Cancelled)
	_, _, err := i.uploads(job.ID, other)
	i.coded(err, domain.CodeVerificationJobTerminal)
	if n := i.count("verification_sources WHERE bytes = $1", other[:256<<10]); n != 0 {
		t.Errorf("got %d pieces of the other source, want none", n)
	}
}

func TestEndedJobAcceptsNoSource(t *testing.T) {
	t.Parallel()
	i := newIntake(t, repotest.Followed)
	cancelled := i.creates("a", "cancelled")
	i.moves(cancelled.ID, verify.Cancelled)
	overdue := i.creates("a", "overdue")
	i.clock.passes(verify.UploadWindow)
	for id, state := range map[string]verify.State{cancelled.ID: verify.Cancelled, overdue.ID: verify.Expired} {
		_, _, err := i.uploads(id, archive)
		i.coded(err, domain.CodeVerificationJobTerminal)
		i.is(id, verify.AwaitingUpload, state)
	}
}

func TestUploadThatEndsAfterTheWindowIsTooLate(t *testing.T) {
	t.Parallel()
	i := newIntake(t, repotest.Followed)
	job := i.creates("a", "slow")
	late := io.MultiReader(bytes.NewReader(archive), readerFunc(func([]byte) (int, error) {
		i.clock.passes(verify.UploadWindow)
		return 0, io.EOF
	}))
	_, _, err := i.Upload(t.Context(), domain.Mainnet, "a", job.ID, int64(len(archive)), late)
	i.coded(err, domain.CodeVerificationJobTerminal)
	i.is(job.ID, verify.AwaitingUpload, verify.Expired)
	if n := i.count("verification_sources"); n != 0 {
		t.Errorf("got %d pieces, want none", n)
	}
}

// readerFunc is a function that reads.
type readerFunc func([]byte) (int, error)

// Read implements io.Reader.
func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

func TestUploadsInProgressAreBounded(t *testing.T) {
	t.Parallel()
	i := newIntake(t, repotest.Followed)
	job := i.creates("a", "first")
	var group sync.WaitGroup
	var ends []*io.PipeWriter
	reading := make(chan struct{})
	for range verify.OwnUploads {
		r, w := io.Pipe()
		ends = append(ends, w)
		group.Go(func() {
			_, _, _ = i.Upload(t.Context(), domain.Mainnet, "a", job.ID, int64(len(archive)), r)
		})
		go func() {
			_, _ = w.Write(archive[:1])
			reading <- struct{}{}
		}()
	}
	for range verify.OwnUploads {
		<-reading
	}
	untouched := readerFunc(func([]byte) (int, error) {
		t.Error("got the body of an upload beyond the limit read, want it untouched")
		return 0, io.EOF
	})
	_, _, err := i.Upload(t.Context(), domain.Mainnet, "a", job.ID, int64(len(archive)), untouched)
	if refused := i.coded(err, domain.CodeServiceUnavailable); refused.RetryAfter == 0 {
		t.Error("got no time to retry, want one")
	}
	other := i.creates("b", "first")
	if _, committed, err := i.Upload(t.Context(), domain.Mainnet, "b", other.ID, int64(len(archive)), bytes.NewReader(archive)); err != nil || !committed {
		t.Errorf("got committed %t and %v for another workspace, want its source committed", committed, err)
	}
	for _, w := range ends {
		_ = w.Close()
	}
	group.Wait()
	i.commits(job.ID)
}
