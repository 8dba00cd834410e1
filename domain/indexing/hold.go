package indexing

import (
	"context"
	"errors"
	"fmt"
	"time"

	"astrolabe/domain"
)

// ErrLed means that an indexer process leads the chain, so that no other
// process may write.
var ErrLed = errors.New("an indexer is running")

// holdTime is the duration of a lease. If the holder dies, indexing resumes
// after that time.
const holdTime = 15 * time.Second

// Hold leads the index of a chain while act runs, so that act alone writes. It
// returns ErrLed at once when another process leads, and ErrLeaseLost when the
// lease was lost in between; act's context ends then. gone reports whether the
// holder of a lease has provably ended, so that its lease is taken over; nil takes
// over only leases that have expired.
func Hold(ctx context.Context, leases Leases, c domain.Chain, holder string, gone func(holder string) bool, act func(context.Context, Lease) error) error {
	if err := releaseGone(ctx, leases, c, gone); err != nil {
		return err
	}
	lease, held, err := leases.TakeLease(ctx, c, holder, holdTime)
	if err != nil {
		return err
	}
	if !held {
		return fmt.Errorf("%w for %s; stop it, then run this command again", ErrLed, c)
	}
	holding, lose := context.WithCancelCause(ctx)
	renewed := make(chan struct{})
	go func() {
		defer close(renewed)
		renew(holding, leases, lease, lose)
	}()
	err = act(holding, lease)
	if cause := context.Cause(holding); err != nil && ctx.Err() == nil && cause != nil {
		err = cause
	}
	lose(nil)
	<-renewed
	ending, cancel := context.WithTimeout(context.WithoutCancel(ctx), holdTime)
	defer cancel()
	return errors.Join(err, leases.ReleaseLease(ending, lease))
}

// releaseGone ends the lease of a process that has provably ended.
func releaseGone(ctx context.Context, leases Leases, c domain.Chain, gone func(holder string) bool) error {
	if gone == nil {
		return nil
	}
	held, found, err := leases.HeldLease(ctx, c)
	if err != nil || !found || !gone(held.Holder) {
		return err
	}
	return leases.ReleaseLease(ctx, held)
}

// renew keeps a lease until ctx ends. A renewal is not cancelled then, but awaited:
// the database may execute a cancelled one after the release.
func renew(ctx context.Context, leases Leases, lease Lease, lose context.CancelCauseFunc) {
	ticker := time.NewTicker(holdTime / 3)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			renewing, cancel := context.WithTimeout(context.WithoutCancel(ctx), holdTime/3)
			again, held, err := leases.TakeLease(renewing, lease.Chain, lease.Holder, holdTime)
			cancel()
			if err == nil && (!held || again.Epoch != lease.Epoch) {
				lose(ErrLeaseLost)
			}
		}
	}
}
