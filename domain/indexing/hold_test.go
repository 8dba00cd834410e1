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

// oneLease is a lease in memory, which can be taken away.
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

func (l *oneLease) ReleaseLease(context.Context, Lease) error {
	l.released = true
	return nil
}

func TestHoldRenewsLeaseUntilReleased(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		leases := &oneLease{}
		err := Hold(t.Context(), leases, domain.Mainnet, "me", func(ctx context.Context, lease Lease) error {
			select {
			case <-ctx.Done():
				return ctx.Err()
			case <-time.After(10 * holdTime):
			}
			leases.mu.Lock()
			defer leases.mu.Unlock()
			if !time.Now().Before(leases.expires) || lease.Epoch != 1 {
				t.Errorf("the lease ran out at %s", leases.expires)
			}
			return nil
		})
		if err != nil || !leases.released {
			t.Errorf("%v, released %v", err, leases.released)
		}
	})
}

func TestHoldStopsWhenLeaseIsLost(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		leases := &oneLease{}
		err := Hold(t.Context(), leases, domain.Mainnet, "me", func(ctx context.Context, _ Lease) error {
			leases.mu.Lock()
			leases.lost = true
			leases.mu.Unlock()
			<-ctx.Done()
			return ctx.Err()
		})
		if !errors.Is(err, ErrLeaseLost) {
			t.Errorf("got %v", err)
		}
	})
}

func TestHoldFailsWhileAnotherProcessLeads(t *testing.T) {
	t.Parallel()
	err := Hold(t.Context(), &oneLease{lost: true}, domain.Mainnet, "me", func(context.Context, Lease) error {
		t.Error("it acts nevertheless")
		return nil
	})
	if !errors.Is(err, ErrLed) {
		t.Errorf("got %v", err)
	}
}
