package verify

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"astrolabe/domain/verify"
	"astrolabe/jobs"
	"astrolabe/telemetry"
)

const (
	// pollEvery is how often a builder or controller looks for work without a
	// notification.
	pollEvery = 5 * time.Second
	// reportEvery is how often it says that it is there.
	reportEvery = 15 * time.Second
	// lastWords is the time for what a builder stores when it shuts down.
	lastWords = 5 * time.Second
)

// Builder builds the sources of queued jobs until its context ends. Any number
// of processes may run one. It needs no job queue: River's tables would let a
// builder queue any work (docs/adr/0028-builders-have-roles-and-leases.md).
type Builder struct {
	// Description is how the builder describes itself. Its ID must be unique to
	// the process. If it is not ready, it says why and builds nothing.
	Description verify.Builder
	Builds      *verify.Builds
	Compiler    verify.Compiler // not used unless the builder is ready
	// Parallel is how many jobs are built at a time; zero means one.
	Parallel int
	// Listen calls on with the ID of every job that has a new state until ctx ends,
	// and with an empty ID when some may have been missed. The builder also polls.
	Listen  func(ctx context.Context, on func(id string))
	Logger  *slog.Logger
	Metrics *telemetry.Metrics
}

// Run builds until ctx ends. Jobs that are being built then are given back, so
// that another builder takes them at once.
func (b *Builder) Run(ctx context.Context) error {
	var group sync.WaitGroup
	group.Go(func() { b.report(ctx) })
	if b.Description.Ready {
		w := newWaker()
		group.Go(func() { b.Listen(ctx, w.wake) })
		for range max(1, b.Parallel) {
			group.Go(func() { b.work(ctx, w) })
		}
	}
	group.Wait()
	return nil
}

// report describes the builder to the other processes until ctx ends, and then
// that it is shutting down.
func (b *Builder) report(ctx context.Context) {
	ticker := time.NewTicker(reportEvery)
	defer ticker.Stop()
	outage := jobs.NewOutage(b.Logger, "the builder cannot write its heartbeat; it will retry", "the builder writes its heartbeat again")
	for ctx.Err() == nil {
		record(ctx, outage, b.Builds.Report(ctx, b.Description))
		select {
		case <-ctx.Done():
		case <-ticker.C:
		}
	}
	stopping := b.Description
	stopping.Ready, stopping.ReasonCode, stopping.Reason = false, "builder_stopping", "The builder is shutting down."
	ending, cancel := context.WithTimeout(context.WithoutCancel(ctx), lastWords)
	defer cancel()
	if err := b.Builds.Report(ending, stopping); err != nil {
		b.Logger.Warn("the builder could not record that it is stopping", "error", err)
	}
}

// work claims and builds one job after another until ctx ends.
func (b *Builder) work(ctx context.Context, w *waker) {
	outage := jobs.NewOutage(b.Logger, "the builder cannot claim jobs; it will retry", "the builder claims jobs again")
	for ctx.Err() == nil {
		job, err := b.Builds.Claim(ctx, b.Description.ID)
		record(ctx, outage, err)
		idle := w.idle
		if job != nil {
			signal(w.idle) // there may be more for others
			if b.build(ctx, job, w) {
				continue
			}
			idle = nil // no notification may shorten the pause
		}
		select {
		case <-ctx.Done():
		case <-idle:
		case <-time.After(pollEvery):
		}
	}
}

// record reports to an outage how an attempt ended, unless the process stops.
func record(ctx context.Context, outage *telemetry.Outage, err error) {
	switch {
	case ctx.Err() != nil:
	case err != nil:
		outage.Failed(err)
	default:
		outage.Over()
	}
}
