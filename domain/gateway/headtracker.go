package gateway

import (
	"context"
	"encoding/json"
	"slices"
	"time"

	"astrolabe/starknet"
)

const (
	// maxKnown is how many of the newest blocks a tracker knows, also of those
	// before its subscription: how many a reorg during an outage may replace.
	maxKnown = 128
	// maxMissed is how many headers are fetched at most for one gap.
	maxMissed = 2048
)

// headTracker tracks new heads. It passes all messages on until a subscription
// was lost. From then on each head must follow the one before: heads that are
// known are dropped, missing ones are fetched, and if the chain has changed, the
// reorg is reported first.
type headTracker struct {
	node    Node
	lineage *lineage
	method  Method
	params  json.RawMessage

	known   []block // the newest heads, in order
	resumed bool
	plain   bool // resume must not name a block
}

// begin notes the head, so that a subscription that is lost before its first
// message can be continued.
func (t *headTracker) begin(ctx context.Context) {
	if namesBlock(t.method, t.params) {
		return // it begins again where it began
	}
	if h, err := latest(ctx, t.node); err == nil {
		t.add(h.block)
	}
}

func latest(ctx context.Context, node Node) (header, error) {
	number, err := headNumber(ctx, node)
	if err != nil {
		return header{}, err
	}
	return headerAt(ctx, node, map[string]any{"block_number": number})
}

func (t *headTracker) resume(context.Context, time.Duration) (json.RawMessage, []Notification, error) {
	t.resumed = true
	t.recall()
	switch {
	case t.plain:
		return nil, nil, nil
	case len(t.known) == 0:
		return t.params, nil, nil
	}
	return fromBlock(t.method, t.params, t.last().Number), nil, nil
}

// recall adds the blocks before the first known one, which subscribers may have
// from elsewhere: the chain may have changed there.
func (t *headTracker) recall() {
	for len(t.known) > 0 && len(t.known) < maxKnown {
		before, ok := t.lineage.parent(t.known[0].Hash)
		if !ok {
			return
		}
		t.known = slices.Insert(t.known, 0, before)
	}
}

// refused begins at the head instead. The node may be behind, have a shorter
// chain after a reorg, or not go back so far: the next head shows it.
func (t *headTracker) refused(err *NodeError) bool {
	again := !t.plain && len(t.known) > 0 && (err.Code == codeBlockNotFound || err.Code == codeTooManyBlocksBack)
	t.plain = again
	return again
}

func (t *headTracker) last() block { return t.known[len(t.known)-1] }

func (t *headTracker) pass(ctx context.Context, n Notification) ([]Notification, error) {
	t.plain = false
	if n.Method == reorgMethod {
		return t.undo(n)
	}
	h := header{text: n.Result}
	if err := json.Unmarshal(n.Result, &h.block); err != nil {
		return []Notification{n}, nil //nolint:nilerr // The client reads what the node wrote.
	}
	switch {
	case !t.resumed, len(t.known) == 0:
		t.cut(h.Number)
	case t.knows(h.Number, h.Hash):
		return nil, nil
	case h.Number < t.known[0].Number: // the node is far behind
		return nil, nil
	case h.Number != t.last().Number+1 || h.Parent != t.last().Hash:
		return t.connect(ctx, n.Method, h)
	}
	t.add(h.block)
	return []Notification{n}, nil
}

// undo passes a reorg on, unless the subscribers do not have its blocks: they
// have been told already.
func (t *headTracker) undo(n Notification) ([]Notification, error) {
	var r reorg
	if err := json.Unmarshal(n.Result, &r); err != nil {
		return []Notification{n}, nil //nolint:nilerr // The client reads what the node wrote.
	}
	if t.resumed && len(t.known) > 0 && r.FirstNumber >= t.known[0].Number && !t.knows(r.FirstNumber, r.FirstHash) {
		return nil, nil
	}
	t.recall()
	t.cut(r.FirstNumber)
	return []Notification{n}, nil
}

// connect returns what leads from the known heads to a header that does not
// follow them: the reorg, if there was one, and the missing headers. It is
// ErrInterrupted if there are too many, or if no known head is left.
func (t *headTracker) connect(ctx context.Context, method string, h header) ([]Notification, error) {
	missing := []header{h}
	for first := h; !t.knows(first.Number-1, first.Parent); missing = append(missing, first) {
		if len(missing) == maxMissed || first.Number <= t.known[0].Number {
			return nil, ErrInterrupted
		}
		var err error
		if first, err = headerAt(ctx, t.node, map[string]any{"block_hash": first.Parent}); err != nil {
			if refusedWith(err, codeBlockNotFound) {
				return nil, nil // the header has left the chain: later messages will say so
			}
			return nil, err
		}
	}
	slices.Reverse(missing)
	var out []Notification
	if fork := missing[0].Number; fork <= t.last().Number {
		at := slices.IndexFunc(t.known, func(b block) bool { return b.Number >= fork })
		out = append(out, reorgOf(t.known[at], t.last()))
		t.cut(fork)
	}
	for _, m := range missing {
		out = append(out, Notification{method, m.text})
		t.add(m.block)
	}
	return out, nil
}

func (t *headTracker) knows(number uint64, hash starknet.Felt) bool {
	return slices.ContainsFunc(t.known, func(b block) bool { return b.Number == number && b.Hash == hash })
}

// cut forgets the heads from a number on.
func (t *headTracker) cut(number uint64) {
	t.known = slices.DeleteFunc(t.known, func(b block) bool { return b.Number >= number })
}

func (t *headTracker) add(b block) {
	t.lineage.add(b)
	if t.known = append(t.known, b); len(t.known) > maxKnown {
		t.known = slices.Delete(t.known, 0, 1)
	}
}
