package indexing

import (
	"context"
	"errors"
	"time"

	"astrolabe/domain"
)

// ErrLeaseLost means that another process now leads the chain: nothing was
// written.
var ErrLeaseLost = errors.New("another process leads this chain's index")

// Lease is one process' right to index a chain until it expires. Its epoch
// grows with every change of leader, and every write of the index checks it.
type Lease struct {
	Chain     domain.Chain
	Holder    string
	Epoch     int64
	ExpiresAt time.Time
}

// Leases hands out the right to lead.
type Leases interface {
	// TakeLease takes or renews the lease for the holder. It reports false
	// when another holder's lease has not expired.
	TakeLease(ctx context.Context, chain domain.Chain, holder string, lasts time.Duration) (Lease, bool, error)
	// HeldLease returns the lease that a process holds now, and false when none
	// does.
	HeldLease(ctx context.Context, chain domain.Chain) (Lease, bool, error)
	// ReleaseLease ends the holder's lease at once.
	ReleaseLease(ctx context.Context, lease Lease) error
}
