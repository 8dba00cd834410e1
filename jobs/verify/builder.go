package verify

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"astrolabe/domain/verify"
	"astrolabe/telemetry"
)

const (
	pollEvery   = 5 * time.Second // without a notification
	reportEvery = 15 * time.Second
	lastWords   = 5 * time.Second // for what a builder stores when it shuts down
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
	failing := false
	for ctx.Err() == nil {
		err := b.Builds.Report(ctx, b.Description)
		failing = b.outage(ctx, "builder cannot report itself", failing, err)
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
		b.Logger.Warn("builder cannot report that it stops", "error", err)
	}
}

// work claims and builds one job after another until ctx ends.
func (b *Builder) work(ctx context.Context, w *waker) {
	failing := false
	for ctx.Err() == nil {
		job, err := b.Builds.Claim(ctx, b.Description.ID)
		failing = b.outage(ctx, "builder cannot claim jobs", failing, err)
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

// outage logs the first failure of an outage, and its end.
func (b *Builder) outage(ctx context.Context, what string, failing bool, err error) bool {
	switch failed := err != nil && ctx.Err() == nil; {
	case failed && !failing:
		b.Logger.Warn(what+"; it will retry", "error", err)
	case !failed && failing && ctx.Err() == nil:
		b.Logger.Info("builder recovered")
	}
	return err != nil
}
