package indexing

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"astrolabe/domain"
)

// oneLease is a lease in memory that can be lost.
type oneLease struct {
	mu       sync.Mutex
	expires  time.Time
	lost     bool
	released bool
}

func (l *oneLease) TakeLease(_ context.Context, c domain.Chain, holder string, lasts time.Duration) (Lease, bool, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.lost {
		return Lease{}, false, nil
	}
	l.expires = time.Now().Add(lasts)
	return Lease{Chain: c, Holder: holder, Epoch: 1, ExpiresAt: l.expires}, true, nil
}

func (l *oneLease) HeldLease(context.Context, domain.Chain) (Lease, bool, error) {
	return Lease{}, false, nil
}

func (l *oneLease) ReleaseLease(context.Context, Lease) error {
	l.released = true
	return nil
}

func TestHoldRenewsLeaseUntilReleased(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		leases := &oneLease{}
		err := Hold(t.Context(), leases, domain.Mainnet, "me", nil, func(ctx context.Context, lease Lease) error {
			select {
			case <-ctx.Done():
				return ctx.Err()
			case <-time.After(10 * holdTime):
			}
			leases.mu.Lock()
			defer leases.mu.Unlock()
			if !time.Now().Before(leases.expires) || lease.Epoch != 1 {
				t.Errorf("got a lease of epoch %d that expired at %s, want epoch 1 and not expired", lease.Epoch, leases.expires)
			}
			return nil
		})
		if err != nil || !leases.released {
			t.Errorf("got error %v and released %v, want no error and a released lease", err, leases.released)
		}
	})
}

// slowLease is a lease whose renewals take until they are let through.
type slowLease struct {
	oneLease
	renewals chan context.Context
	proceed  chan struct{}
	taken    bool
}

func (l *slowLease) TakeLease(ctx context.Context, c domain.Chain, holder string, lasts time.Duration) (Lease, bool, error) {
	if l.taken {
		l.renewals <- ctx
		<-l.proceed
	}
	l.taken = true
	return l.oneLease.TakeLease(ctx, c, holder, lasts)
}

func TestHoldAwaitsARenewalBeforeItReleases(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		leases := &slowLease{renewals: make(chan context.Context, 1), proceed: make(chan struct{})}
		var renewal context.Context
		ended := make(chan error)
		go func() {
			ended <- Hold(t.Context(), leases, domain.Mainnet, "me", nil, func(context.Context, Lease) error {
				renewal = <-leases.renewals
				return nil
			})
		}()
		time.Sleep(holdTime/3 + time.Second)
		synctest.Wait()
		if renewal.Err() != nil || leases.released {
			t.Errorf("got a renewal with %v and released %t, want the renewal awaited first", renewal.Err(), leases.released)
		}
		close(leases.proceed)
		if err := <-ended; err != nil || !leases.released {
			t.Errorf("got error %v and released %t, want no error and a released lease", err, leases.released)
		}
	})
}

func TestHoldStopsWhenLeaseIsLost(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		leases := &oneLease{}
		err := Hold(t.Context(), leases, domain.Mainnet, "me", nil, func(ctx context.Context, _ Lease) error {
			leases.mu.Lock()
			leases.lost = true
			leases.mu.Unlock()
			<-ctx.Done()
			return ctx.Err()
		})
		if !errors.Is(err, ErrLeaseLost) {
			t.Errorf("got %v, want %v", err, ErrLeaseLost)
		}
	})
}

func TestHoldFailsWhileAnotherProcessLeads(t *testing.T) {
	t.Parallel()
	err := Hold(t.Context(), &oneLease{lost: true}, domain.Mainnet, "me", nil, func(context.Context, Lease) error {
		t.Error("got the function called without a lease, want it not called")
		return nil
	})
	if !errors.Is(err, ErrLed) {
		t.Errorf("got %v, want %v", err, ErrLed)
	}
}
