package verify

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"golang.org/x/sync/errgroup"

	"astrolabe/domain/verify"
	"astrolabe/domain/verify/transparency"
)

// Controller compares built classes and admits receipts until it is stopped. It
// is the only process with the signing key.
type Controller struct {
	Service *verify.Controller
	ID      string // of the process, under which it reports itself
	// Listen calls on with the ID of every job that has a new state until ctx ends,
	// and with an empty ID when some may have been missed. The controller also polls.
	Listen func(ctx context.Context, on func(id string))
	Log    transparency.GrowingStore // to which admitted receipts are added; nil for none
	Logger *slog.Logger
}

// Run works until ctx ends, and returns an error only if the key cannot sign here:
// it is registered for another environment or toolchain, retired or revoked. An
// outage of the database is logged and waited for.
func (c *Controller) Run(ctx context.Context) error {
	if err := c.start(ctx); err != nil || ctx.Err() != nil {
		return err
	}
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() error { return every(ctx, reportEvery, nil, c.report()) })
	wake := make(chan struct{}, 1)
	group.Go(func() error {
		c.Listen(ctx, func(string) {
			select {
			case wake <- struct{}{}:
			default: // a pass is due already
			}
		})
		return nil
	})
	admitted := make(chan struct{}, 1)
	group.Go(func() error { return every(ctx, pollEvery, wake, c.pass(admitted)) })
	if c.Log != nil {
		log := Integrate{Integration: transparency.Integration{Store: c.Log, Signer: c.Service.Signer(), Now: time.Now}, Logger: c.Logger, Wake: admitted}
		group.Go(func() error { return log.Run(ctx) })
	}
	return group.Wait()
}

// start registers the key. The database may still be starting or migrating.
func (c *Controller) start(ctx context.Context) error {
	for {
		err := c.Service.Status(ctx, c.ID)
		refusal, refused := errors.AsType[*verify.Refusal](err)
		switch {
		case refused && refusal.Code != verify.ReasonUnprovenChain:
			return refusal
		case err == nil || refused:
			return nil
		}
		c.Logger.Warn("the controller waits for the database", "error", err)
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(pollEvery):
		}
	}
}

// report returns the act that reports the controller. It logs changes only.
func (c *Controller) report() func(context.Context) {
	last := ""
	return func(ctx context.Context) {
		text := ""
		if err := c.Service.Status(ctx, c.ID); err != nil {
			text = err.Error()
		}
		if text == last || ctx.Err() != nil {
			return
		}
		if last = text; text != "" {
			c.Logger.Warn("the controller is not ready", "reason", text)
		} else {
			c.Logger.Info("the controller is ready")
		}
	}
}

// pass returns the act that decides on all jobs and then wakes the log. It logs an
// outage once.
func (c *Controller) pass(admitted chan<- struct{}) func(context.Context) {
	failing := false
	return func(ctx context.Context) {
		decided, err := c.Service.Pass(ctx)
		if decided > 0 {
			c.Logger.Info("compared built classes", "jobs", decided)
			select {
			case admitted <- struct{}{}:
			default: // it is awake already
			}
		}
		if err != nil && !failing && ctx.Err() == nil {
			c.Logger.Error("could not compare a built class; it is tried again", "error", err)
		}
		failing = err != nil
	}
}

// every runs an act at once, then at each interval and each time it is woken, until
// ctx ends.
func every(ctx context.Context, interval time.Duration, wake <-chan struct{}, act func(context.Context)) error {
	ticker := time.NewTicker(interval)
	defer ticker.Stop()
	for {
		act(ctx)
		select {
		case <-ctx.Done():
			return nil
		case <-ticker.C:
		case <-wake:
		}
	}
}
