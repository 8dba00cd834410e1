package verify

import (
	"context"
	"errors"
	"time"

	"astrolabe/domain/verify"
	"astrolabe/failpoint"
)

// The outcomes of a build in metrics and log.
const (
	delivered = "delivered" // the class is stored, and the controller compares it
	refused   = "refused"   // the source cannot be built
	lost      = "lost"      // the job has ended, or another builder has it
	released  = "released"  // the builder is shutting down
	undecided = "undecided" // the build came to no result, and is repeated
)

// build builds a claimed job and stores the outcome. It reports whether the
// builder may go on at once; after a build without a result it shall pause.
func (b *Builder) build(ctx context.Context, job *verify.Job, w *waker) bool {
	started := time.Now()
	building, end := context.WithCancelCause(ctx)
	renewing := make(chan struct{})
	go func() {
		defer close(renewing)
		b.renew(building, job, w, end)
	}()
	output, err := b.Builds.Compile(building, job, b.Compiler)
	failpoint.Hit(failpoint.VerifyBuilt)
	outcome, err := b.finish(building, job, output, err)
	end(nil)
	<-renewing
	took := time.Since(started)
	b.Metrics.VerificationBuild(outcome, took)
	b.Logger.Info("build ended", "job", job.ID, "attempt", job.Lease.Attempt, "outcome", outcome, "took", took.Round(time.Millisecond), "error", err)
	return outcome != undecided
}

// renew renews the lease of a job until ctx ends, and ends it once the lease is
// lost.
func (b *Builder) renew(ctx context.Context, job *verify.Job, w *waker, end context.CancelCauseFunc) {
	moved := w.watch(job.ID)
	defer w.unwatch(job.ID)
	ticker := time.NewTicker(verify.RenewEvery)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-moved:
		case <-ticker.C:
		}
		if err := b.Builds.Renew(ctx, job); errors.Is(err, verify.ErrLeaseLost) {
			end(err)
			return
		}
	}
}

// finish stores the outcome of a build. What a build says that was ended before
// its time is ignored.
func (b *Builder) finish(ctx context.Context, job *verify.Job, output *verify.Output, err error) (outcome string, failure error) {
	toolchain := b.Compiler.Toolchain()
	refusal, isRefusal := errors.AsType[*verify.Failure](err)
	switch {
	case errors.Is(context.Cause(ctx), verify.ErrLeaseLost), errors.Is(err, verify.ErrSourceDeleted):
		return lost, nil
	case err == nil:
		return b.store(ctx, delivered, func(ctx context.Context) error { return b.Builds.Deliver(ctx, job, toolchain, output) })
	case ctx.Err() != nil:
		return b.store(ctx, released, func(ctx context.Context) error { return b.Builds.Release(ctx, job, false) })
	case isRefusal:
		return b.store(ctx, refused, func(ctx context.Context) error {
			return b.Builds.Fail(ctx, job, toolchain, output, refusal)
		})
	}
	_, releasing := b.store(ctx, undecided, func(ctx context.Context) error { return b.Builds.Release(ctx, job, true) })
	return undecided, errors.Join(err, releasing)
}

// store repeats an act until it succeeds, the lease is lost or would have ended.
// A builder that is shutting down has less time. A build takes minutes, so an
// outage of seconds shall not lose it. Whatever is not stored is built again.
func (b *Builder) store(ctx context.Context, outcome string, act func(context.Context) error) (string, error) {
	for deadline := time.Now().Add(verify.LeaseTime); ; {
		acting, cancel := context.WithTimeout(context.WithoutCancel(ctx), lastWords)
		err := act(acting)
		cancel()
		switch {
		case err == nil:
			return outcome, nil
		case errors.Is(err, verify.ErrLeaseLost):
			return lost, nil
		case ctx.Err() != nil || time.Now().After(deadline):
			return undecided, err
		}
		select {
		case <-ctx.Done():
		case <-time.After(time.Second):
		}
	}
}
