package verify

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"golang.org/x/sync/errgroup"

	"astrolabe/domain"
	"astrolabe/domain/verify"
	"astrolabe/domain/verify/transparency"
	"astrolabe/jobs"
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

// Run works until ctx ends, or until the key cannot sign here: it is registered for
// another environment or toolchain, or is retired or revoked, also while Run works.
// Then it returns the *verify.Refusal, after having reported it. An outage of the
// database is logged and waited for.
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
		log := Integrate{Integration: transparency.Integration{Store: c.Log, Signer: c.Service.Signer, Now: time.Now}, Logger: c.Logger, Wake: admitted}
		group.Go(func() error { return log.Run(ctx) })
	}
	return group.Wait()
}

// start registers the key. The database may still be starting or migrating.
func (c *Controller) start(ctx context.Context) error {
	outage := jobs.NewOutage(c.Logger, "the controller waits for the database", "the controller has started")
	for {
		err := c.Service.Status(ctx, c.ID)
		refusal, refused := errors.AsType[*verify.Refusal](err)
		switch {
		case refused && refusal.Final():
			return refusal
		case err == nil || refused:
			outage.Over()
			return nil
		}
		outage.Failed(err)
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(pollEvery):
		}
	}
}

// ended returns the refusal of a key that never signs again. It reports it: the
// process is about to end, and was ready.
func (c *Controller) ended(ctx context.Context, err error) error {
	refusal, refused := errors.AsType[*verify.Refusal](err)
	if !refused || !refusal.Final() {
		return nil
	}
	if err := c.Service.Status(ctx, c.ID); !isRefusal(err) {
		c.Logger.Warn("could not record that the controller is stopping", "error", err)
	}
	return refusal
}

// isRefusal reports whether an error says that the controller is not ready, which
// the report logs.
func isRefusal(err error) bool {
	_, refused := errors.AsType[*verify.Refusal](err)
	return refused
}

// report returns the act that reports the controller. It logs changes only.
func (c *Controller) report() func(context.Context) error {
	last := ""
	return func(ctx context.Context) error {
		text := ""
		if err := c.Service.Status(ctx, c.ID); err != nil {
			if ended := c.ended(ctx, err); ended != nil {
				return ended
			}
			if domain.DatabaseAway(err) {
				c.Logger.Warn("the controller cannot write its heartbeat", "error", err)
				return nil
			}
			text = err.Error()
		}
		if text == last || ctx.Err() != nil {
			return nil //nolint:nilerr // it is logged once
		}
		if last = text; text != "" {
			c.Logger.Warn("the controller is not ready", "reason", text)
		} else {
			c.Logger.Info("the controller is ready")
		}
		return nil
	}
}

// pass returns the act that decides on all jobs and then wakes the log.
func (c *Controller) pass(admitted chan<- struct{}) func(context.Context) error {
	outage := jobs.NewOutage(c.Logger, "could not compare a built class; it is tried again", "built classes are compared again")
	return func(ctx context.Context) error {
		decided, err := c.Service.Pass(ctx)
		if decided > 0 {
			c.Logger.Info("compared built classes", "jobs", decided)
			select {
			case admitted <- struct{}{}:
			default: // it is awake already
			}
		}
		if !isRefusal(err) { // the report logs it
			record(ctx, outage, err)
		}
		return c.ended(ctx, err)
	}
}

// every runs an act at once, then at each interval and each time it is woken, until
// ctx ends or the act returns an error.
func every(ctx context.Context, interval time.Duration, wake <-chan struct{}, act func(context.Context) error) error {
	ticker := time.NewTicker(interval)
	defer ticker.Stop()
	for {
		if err := act(ctx); err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return nil
		case <-ticker.C:
		case <-wake:
		}
	}
}
