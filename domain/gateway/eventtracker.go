package gateway

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"astrolabe/starknet"
)

const (
	// maxEventBlocks is how many of the newest blocks with events a tracker
	// knows.
	maxEventBlocks = 32
	// reach is how many blocks before the head a subscription may begin at any
	// node; the specification says 1024.
	reach = 1000
	// shortOutage is an outage in which fewer than reach blocks are made.
	shortOutage = 10 * time.Minute
)

// eventTracker tracks events. After a loss the subscription begins again at the
// block of the last event, and what was received of that block is dropped.
type eventTracker struct {
	node   Node
	method Method
	params json.RawMessage

	base   uint64        // subscribers need no events up to this block; zero if unknown
	blocks []eventBlock  // the newest blocks with events, in order
	skip   map[event]int // events that the subscription will repeat
	far    bool          // the last event is out of reach
}

// eventBlock is a block and its events that subscribers have received.
type eventBlock struct {
	block
	received map[event]int
}

// event identifies an event within its block. Nodes may write it differently.
type event string

// wireEvent is what is read of an event.
type wireEvent struct {
	block
	Transaction starknet.Felt   `json:"transaction_hash"`
	Index       json.Number     `json:"event_index"`
	From        starknet.Felt   `json:"from_address"`
	Keys        []starknet.Felt `json:"keys"`
	Data        []starknet.Felt `json:"data"`
	Finality    string          `json:"finality_status"`
}

func (t *eventTracker) begin(ctx context.Context) {
	if !namesBlock(t.method, t.params) {
		t.base, _ = headNumber(ctx, t.node) // zero is unknown
	}
}

func (t *eventTracker) resume(ctx context.Context, outage time.Duration) (json.RawMessage, []Notification, error) {
	t.skip = nil
	if t.far {
		params, err := t.nearest(ctx, outage)
		return params, nil, err
	}
	told, from, err := t.recall(ctx)
	if err != nil || from == 0 {
		return t.params, told, err
	}
	if newest := len(t.blocks) - 1; newest >= 0 && t.blocks[newest].Number == from {
		t.skip = maps.Clone(t.blocks[newest].received)
	}
	return fromBlock(t.method, t.params, from), told, nil
}

// recall returns the block at which to begin again, zero for where it began. If
// blocks with events have left the chain, it returns the reorg.
func (t *eventTracker) recall(ctx context.Context) (told []Notification, from uint64, err error) {
	if len(t.blocks) == 0 {
		return nil, t.base, nil
	}
	newest := t.blocks[len(t.blocks)-1]
	for at := len(t.blocks) - 1; at >= 0; at-- {
		h, err := headerAt(ctx, t.node, map[string]any{"block_number": t.blocks[at].Number})
		if err != nil { // also a node that is behind
			return nil, 0, fmt.Errorf("the block of the last event: %w", err)
		}
		if h.Hash != t.blocks[at].Hash {
			continue
		}
		if at == len(t.blocks)-1 {
			return nil, h.Number, nil
		}
		told = []Notification{reorgOf(t.blocks[at+1].block, newest.block)}
		t.blocks = t.blocks[:at+1]
		return told, h.Number + 1, nil
	}
	told = []Notification{reorgOf(t.blocks[0].block, newest.block)}
	t.base = max(t.blocks[0].Number, 1) - 1
	t.blocks = nil
	return told, t.base, nil
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

func (t *eventTracker) pass(_ context.Context, n Notification) ([]Notification, error) {
	t.far = false
	if n.Method == reorgMethod {
		var r reorg
		if json.Unmarshal(n.Result, &r) == nil {
			t.blocks = slices.DeleteFunc(t.blocks, func(b eventBlock) bool { return b.Number >= r.FirstNumber })
			t.base = min(t.base, max(r.FirstNumber, 1)-1)
		}
		return []Notification{n}, nil
	}
	var e wireEvent
	if err := json.Unmarshal(n.Result, &e); err != nil || e.Hash.IsZero() || e.Finality == "PRE_CONFIRMED" {
		return []Notification{n}, nil //nolint:nilerr // The client reads what the node wrote, which may be repeated before it is accepted.
	}
	if e.Number <= t.base && t.base > 0 {
		return nil, nil
	}
	key := event(fmt.Sprint(e.Transaction, e.Index, e.From, e.Keys, e.Data))
	if newest := len(t.blocks) - 1; newest < 0 || t.blocks[newest].Number < e.Number {
		t.skip = nil
		t.add(e.block)
	}
	newest := t.blocks[len(t.blocks)-1]
	switch {
	case newest.Number > e.Number:
		return []Notification{n}, nil
	case newest.Hash != e.Hash: // the chain changed after resume looked
		return nil, errReplaced
	}
	if t.skip[key] > 0 {
		t.skip[key]--
		return nil, nil
	}
	newest.received[key]++
	return []Notification{n}, nil
}

var errReplaced = errors.New("the block of the last events was replaced")

func (t *eventTracker) add(b block) {
	t.blocks = append(t.blocks, eventBlock{b, map[event]int{}})
	if len(t.blocks) > maxEventBlocks {
		t.blocks = slices.Delete(t.blocks, 0, 1)
	}
}
