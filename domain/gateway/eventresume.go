package gateway

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"sort"
	"time"
)

const (
	// reach is how many blocks before the head a subscription may begin at any
	// node; the specification says 1024.
	reach = 1000
	// shortOutage is an outage in which fewer than reach blocks are made.
	shortOutage = 10 * time.Minute
)

func (t *eventTracker) resume(ctx context.Context, outage time.Duration) (json.RawMessage, []Notification, error) {
	t.skip = nil
	if t.far {
		params, err := t.nearest(ctx, outage)
		return params, nil, err
	}
	missed, from, err := t.recall(ctx)
	if err != nil || from == 0 {
		return t.params, missed, err
	}
	if newest := len(t.blocks) - 1; newest >= 0 && t.blocks[newest].Number == from {
		t.skip = maps.Clone(t.blocks[newest].received)
	}
	return fromBlock(t.method, t.params, from), missed, nil
}

// recall returns the block at which to begin again, zero for where it began. If
// blocks that were known have left the chain, it returns the reorg.
func (t *eventTracker) recall(ctx context.Context) (missed []Notification, from uint64, err error) {
	known := t.known()
	if len(known) == 0 {
		return nil, t.base.Number, nil
	}
	newest := known[len(known)-1]
	fork, err := t.fork(ctx, known)
	switch {
	case err != nil: // also a node that is behind
		return nil, 0, fmt.Errorf("the blocks of the last events: %w", err)
	case fork == len(known):
		return nil, newest.Number, nil
	case fork == 0:
		return nil, 0, ErrInterrupted
	}
	t.cut(known[fork-1])
	return []Notification{reorgOf(known[fork], newest)}, known[fork-1].Number + 1, nil
}

// known returns the blocks up to the last event, or up to where the subscription
// began, in order. Between older events some may be missing.
func (t *eventTracker) known() (known []block) {
	older := []block{t.base}
	for _, b := range t.blocks {
		older = append(older, b.block)
	}
	for _, b := range slices.Backward(older) {
		for ok := !b.Hash.IsZero() && (len(known) == 0 || b.Number < known[len(known)-1].Number); ok; b, ok = t.lineage.parent(b.Hash) {
			known = append(known, b)
		}
	}
	slices.Reverse(known)
	return known
}

// fork returns the index of the first block that has left the chain, the length
// if none has.
func (t *eventTracker) fork(ctx context.Context, known []block) (at int, err error) {
	left := func(b block) bool {
		var h header
		if err == nil {
			h, err = headerAt(ctx, t.node, map[string]any{"block_number": b.Number})
		}
		return h.Hash != b.Hash
	}
	newest := len(known) - 1
	if !left(known[newest]) {
		return len(known), err
	}
	return sort.Search(newest, func(i int) bool { return left(known[i]) }), err
}

// cut forgets the blocks after the last one that has stayed on the chain.
func (t *eventTracker) cut(last block) {
	t.blocks = slices.DeleteFunc(t.blocks, func(b eventBlock) bool { return b.Number > last.Number })
	if t.base.Number > last.Number {
		t.base = last
	}
}

// nearest begins as far back as nodes allow, which is far enough after a short
// outage: older blocks had no events.
func (t *eventTracker) nearest(ctx context.Context, outage time.Duration) (json.RawMessage, error) {
	if outage > shortOutage {
		return nil, ErrInterrupted
	}
	head, err := headNumber(ctx, t.node)
	if err != nil {
		return nil, err
	}
	return fromBlock(t.method, t.params, max(head, reach)-reach), nil
}

func (t *eventTracker) refused(err *NodeError) bool {
	again := !t.far && err.Code == codeTooManyBlocksBack
	t.far = again
	return again || err.Code == codeBlockNotFound // a node that is behind
}
