package gateway

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"astrolabe/starknet"
)

// maxEventBlocks is how many of the newest blocks with events a tracker knows.
const maxEventBlocks = 32

// eventTracker tracks events. After a loss the subscription begins again at the
// block of the last event, and what was received of that block is dropped. If the
// chain has forked before, it begins after the fork.
type eventTracker struct {
	node    Node
	lineage *lineage
	method  Method
	params  json.RawMessage

	base   block         // subscribers need no events up to this block; zero if unknown
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
	if namesBlock(t.method, t.params) {
		return // it begins again where it began
	}
	t.base.Number, _ = headNumber(ctx, t.node) // zero is unknown
	if h, err := headerAt(ctx, t.node, map[string]any{"block_number": t.base.Number}); err == nil {
		t.base = h.block
		t.lineage.add(t.base)
	}
}

func (t *eventTracker) pass(_ context.Context, n Notification) ([]Notification, error) {
	t.far = false
	if n.Method == reorgMethod {
		var r reorg
		if json.Unmarshal(n.Result, &r) == nil {
			before, _ := t.lineage.parent(r.FirstHash)
			before.Number = max(r.FirstNumber, 1) - 1
			t.cut(before)
		}
		return []Notification{n}, nil
	}
	var e wireEvent
	if err := json.Unmarshal(n.Result, &e); err != nil || e.Hash.IsZero() || e.Finality == "PRE_CONFIRMED" {
		return []Notification{n}, nil //nolint:nilerr // The client reads what the node wrote, which may be repeated before it is accepted.
	}
	if e.Number <= t.base.Number && t.base.Number > 0 {
		return nil, nil
	}
	key := event(fmt.Sprint(e.Transaction, e.Index, e.From, e.Keys, e.Data))
	if newest := len(t.blocks) - 1; newest < 0 || t.blocks[newest].Number < e.Number {
		t.skip = nil
		t.add(e.block)
		t.lineage.learn(e.Hash)
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
