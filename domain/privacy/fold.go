package privacy

import (
	"fmt"

	"astrolabe/starknet"
)

// LedgerState is what Fold has to know of a ledger that it extends.
type LedgerState struct {
	Ledger
	// Pools are those with events.
	Pools map[starknet.Felt]bool
	// Assets are those of every token that flows in the step, of all pools; and
	// of every other token too, if an hour ends in the step.
	Assets map[AssetKey]LedgerAsset
	// Wallets are those of the step that had set a viewing key before.
	Wallets map[starknet.Felt]bool
	// Settings are the newest settings of each pool's fee.
	Settings []FeeSetting
}

// LedgerStep is what happened in the finalized blocks after a ledger's.
type LedgerStep struct {
	// Hours are the last blocks of each hour that has blocks of the step, in
	// order: the last one is the end of the step. Blocks before the first event
	// of a pool may be left out. Timestamps never decrease.
	Hours []LedgerBlock
	// Until is the timestamp of the next finalized block, at which the ledger
	// stops for now; nil if it does not. It ends hours before it.
	Until *uint64
	// Events are all events of pools in those blocks, in order.
	Events []LedgerEvent
	// Transfers are the transfers of STRK in their transactions. Those that
	// reach no collector of a fee may be left out.
	Transfers []FeeTransfer
}

// LedgerChanges are what a step adds to a ledger.
type LedgerChanges struct {
	Ledger Ledger // after the step
	// Counts and the three kinds of buckets are parts, which are added to what is
	// there; their sums replace those that are there.
	Counts  map[CountKey]uint64
	Buckets map[BucketKey]LedgerBucket
	Flows   map[TokenBucketKey]LedgerBucketFlow
	Fees    map[TokenBucketKey]LedgerBucketFee
	// Assets replace those that are there.
	Assets map[AssetKey]LedgerAsset
	// Wallets are new, with the block of their first viewing key, and so are
	// Points.
	Wallets map[starknet.Felt]uint64
	Points  []LedgerPoint
}

// bucketWidths are those of the buckets.
var bucketWidths = []Width{Hour, Day, Week}

// Fold extends a ledger by a step. It is pure and does not change the state.
// However the blocks are divided into steps, their changes add up to the same
// rows. It returns an error, and no changes, if a sum exceeds 256 bits or if an
// event is unread.
func Fold(state LedgerState, step LedgerStep) (*LedgerChanges, error) {
	f, err := newFold(state, step)
	if err != nil {
		return nil, err
	}
	events := step.Events
	for i := range step.Hours {
		block := step.Hours[i]
		f.publish(Hour.Start(block.Timestamp))
		for len(events) > 0 && events[0].At.Block <= block.Number {
			if err := f.event(&events[0]); err != nil {
				return nil, err
			}
			events = events[1:]
		}
		f.changes.Ledger.Through = &block
	}
	if len(events) > 0 {
		return nil, fmt.Errorf("an event of block %d is not of the step", events[0].At.Block)
	}
	if step.Until != nil {
		f.publish(Hour.Start(*step.Until))
	}
	return f.changes, nil
}
