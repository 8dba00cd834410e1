package transparency

import (
	"context"
	"time"

	"golang.org/x/mod/sumdb/tlog"

	"astrolabe/domain"
)

// Batch is the largest number of receipts that one integration adds.
const Batch = 256

// Decide returns what a log with that newest checkpoint, nil if it is empty,
// stores for the receipts that wait for it; nil for nothing.
type Decide func(newest *Checkpoint, pending []Pending, stored tlog.HashReader) (*Growth, error)

// GrowingStore has the log and the receipts that wait for it.
type GrowingStore interface {
	// Grow calls decide with at most that many receipts, in order. It stores the
	// growth and removes the receipts from those that wait in one transaction,
	// which neither another one nor the end of a key overlaps. It refuses a growth
	// whose key is not registered, retired or revoked.
	Grow(ctx context.Context, most int, decide Decide) (*Growth, error)
}

// Integration adds the receipts that wait to the log. Any number of processes may
// run it, and it continues where a killed one has stopped.
type Integration struct {
	Store GrowingStore
	// Signer returns what signs, or why it must not sign now. It is called for each
	// batch, because a key may end at any time.
	Signer func(ctx context.Context) (Signer, error)
	Now    func() time.Time
}

// Step adds one batch and reports how many receipts it had. A growth of no
// receipts is a state that was signed again.
func (i Integration) Step(ctx context.Context) (added int, err error) {
	signer, err := i.Signer(ctx)
	if err != nil {
		return 0, err
	}
	growth, err := i.Store.Grow(ctx, Batch, func(newest *Checkpoint, pending []Pending, stored tlog.HashReader) (*Growth, error) {
		return Grow(newest, pending, stored, signer, domain.Milliseconds(i.Now()))
	})
	if err != nil || growth == nil {
		return 0, err
	}
	return growth.Added, nil
}
