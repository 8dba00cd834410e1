package verify

import (
	"context"
	"fmt"
	"io"
	"time"

	"astrolabe/domain"
)

// BuildStore is what builders need of the database. It works with the privileges
// of their role, so its jobs have only an ID, a number, a package, a state, a
// history and a lease.
type BuildStore interface {
	// ClaimJob locks the oldest job that is queued, or whose lease was last renewed
	// at a time that is stale, and is not locked by another process. Then it is
	// ChangeBuild. It returns nil if there is no such job.
	ClaimJob(ctx context.Context, stale time.Time, decide func(*Job) *Change) (*Job, error)
	// ChangeBuild locks a job that is queued or building, lets decide look at it and
	// makes the change that it returns, if any, all in one transaction. Without such
	// a job, it returns nil and does not call decide.
	ChangeBuild(ctx context.Context, id string, decide func(*Job) *Change) (*Job, error)
	// RenewLease sets the time of the last renewal, and returns false if the job is
	// not building under the lease.
	RenewLease(ctx context.Context, id string, lease Lease, at time.Time) (held bool, err error)
	// Source returns the source of a job that is building; see JobStore.
	Source(ctx context.Context, job *Job) io.Reader
	// ReportBuilder stores how a builder describes itself.
	ReportBuilder(ctx context.Context, builder Builder) error
}

// Builds gives jobs to builders and takes their results. A job is claimed for a
// Lease, which is what every later call is checked against: a builder that was
// paused for so long that another has taken over changes nothing any more. It is
// safe for concurrent use.
type Builds struct {
	store BuildStore
	now   func() time.Time
	moved func(State) // called after each transition
}

// NewBuilds makes the service.
func NewBuilds(store BuildStore, now func() time.Time) *Builds {
	return &Builds{store: store, now: now, moved: func(State) {}}
}

// OnTransition sets what is called after each transition of a job to a state. It is set
// before the service is used.
func (b *Builds) OnTransition(moved func(State)) { b.moved = moved }

// Claim gives the oldest job that can be built to a builder and returns it with
// its Lease, nil if there is none. A job is queued, or its lease was not renewed
// for LeaseTime. Two builders never get the same attempt.
func (b *Builds) Claim(ctx context.Context, builder string) (*Job, error) {
	for {
		now := domain.Milliseconds(b.now())
		stale := now.Add(-LeaseTime)
		var made *Change
		job, err := b.store.ClaimJob(ctx, stale, func(job *Job) *Change {
			made = job.claim(builder, later(now, job.UpdatedAt), stale)
			return made
		})
		if err != nil || job == nil {
			return nil, err
		}
		if made != nil && made.To != "" {
			b.moved(made.To)
		}
		if made != nil && made.To != Failed {
			return job, nil
		}
		// Another builder was faster, or the job has failed: there may be more.
	}
}

// Renew says that the builder of a claimed job is still building. It returns
// ErrLeaseLost if the job is not its any more, and then the build shall end.
func (b *Builds) Renew(ctx context.Context, claimed *Job) error {
	held, err := b.store.RenewLease(ctx, claimed.ID, *claimed.Lease, domain.Milliseconds(b.now()))
	if err == nil && !held {
		return ErrLeaseLost
	}
	return err
}

// Compile compiles the source of a claimed job; see Compiler. A source that could
// not be read is never the fault of the source.
func (b *Builds) Compile(ctx context.Context, claimed *Job, compiler Compiler) (*Output, error) {
	source := &reading{Reader: b.store.Source(ctx, claimed)}
	output, err := compiler.Compile(ctx, source, claimed.Package)
	if source.err != nil {
		return nil, source.err
	}
	return output, err
}

// Deliver stores the class that was built as the candidate of a claimed job,
// which moves to comparing. It returns ErrLeaseLost like Renew.
func (b *Builds) Deliver(ctx context.Context, claimed *Job, toolchain Toolchain, output *Output) error {
	switch size := len(output.Class); {
	case size == 0:
		return fmt.Errorf("the build of %s gave no class", claimed.ID)
	case size > MaxClass:
		return b.Fail(ctx, claimed, toolchain, output, &Failure{BuildLimitExceeded, fmt.Sprintf("The class has %d bytes of JSON, but at most %d are accepted.", size, MaxClass)})
	}
	return b.change(ctx, claimed, func(now time.Time) *Change {
		return &Change{At: now, To: Comparing, Build: buildOf(claimed, toolchain, output), Candidate: output.Class}
	})
}

// Fail ends a claimed job because its source cannot be built. It returns
// ErrLeaseLost like Renew.
func (b *Builds) Fail(ctx context.Context, claimed *Job, toolchain Toolchain, output *Output, failure *Failure) error {
	failure = &Failure{failure.Code, printable(failure.Message[:min(len(failure.Message), maxMessage)])}
	return b.change(ctx, claimed, func(now time.Time) *Change {
		return &Change{At: now, To: Failed, Failure: failure, Build: buildOf(claimed, toolchain, output)}
	})
}

// Release gives a claimed job back, so that another builder can claim it at once.
// The attempt counts only if it was the build that failed to come to a result; it
// does not count if the builder is shutting down. It returns ErrLeaseLost like
// Renew.
func (b *Builds) Release(ctx context.Context, claimed *Job, counts bool) error {
	return b.change(ctx, claimed, func(now time.Time) *Change {
		lease := *claimed.Lease
		lease.SeenAt = now.Add(-LeaseTime)
		if !counts {
			lease.Attempt--
		}
		return &Change{At: now, Lease: &lease}
	})
}

// Report stores how a builder describes itself now.
func (b *Builds) Report(ctx context.Context, builder Builder) error {
	builder.SeenAt = domain.Milliseconds(b.now())
	return b.store.ReportBuilder(ctx, builder)
}

// change makes a change of a claimed job, if its lease still holds.
func (b *Builds) change(ctx context.Context, claimed *Job, decide func(now time.Time) *Change) error {
	var made *Change
	_, err := b.store.ChangeBuild(ctx, claimed.ID, func(job *Job) *Change {
		if job.held(claimed.Lease) {
			made = decide(later(domain.Milliseconds(b.now()), job.UpdatedAt))
		}
		return made
	})
	switch {
	case err != nil:
		return err
	case made == nil:
		return ErrLeaseLost
	case made.To != "":
		b.moved(made.To)
	}
	return nil
}

// buildOf returns what is kept of a build.
func buildOf(job *Job, toolchain Toolchain, output *Output) *Build {
	build := &Build{Toolchain: toolchain, Profile: job.Package.BuildProfile}
	if output != nil {
		build.Duration, build.LogTail = output.Duration, printable(output.LogTail[max(0, len(output.LogTail)-maxLog):])
	}
	return build
}
