package node

import (
	"context"
	"encoding/json"
	"strconv"
	"sync"
	"time"

	"astrolabe/domain"
	"astrolabe/node/wire"
	"astrolabe/starknet"
)

const (
	// reorgPatience is how long an upstream must report heads below the one that
	// it had reached, and nothing else, until that is taken for a reorg.
	reorgPatience = time.Minute
	// headTimeout limits a question for the head of an upstream.
	headTimeout = 5 * time.Second
	// rememberedHeads is how many heads of an upstream are remembered.
	rememberedHeads = 64
)

// headLog is what an upstream has reported of its head.
type headLog struct {
	mu       sync.Mutex
	highest  uint64
	lowSince time.Time                        // since when it has reported lower heads only
	recent   [rememberedHeads]domain.BlockRef // by number
	next     *headQuestion                    // not yet sent
	turn     chan struct{}                    // holds a token while a question is in flight
}

// headQuestion is a question for the head that several reads wait for.
type headQuestion struct {
	done chan struct{}
	head uint64
	err  error
}

// report records a head, and reports whether it shows that the chain of the
// upstream went back: it has replaced a block, or insists on the lower head. The
// hash may be zero.
func (l *headLog) report(head domain.BlockRef, now time.Time) (wentBack bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	known := &l.recent[head.Number%rememberedHeads]
	replaced := known.Number == head.Number && !known.Hash.IsZero() && !head.Hash.IsZero() && known.Hash != head.Hash
	if !head.Hash.IsZero() {
		*known = head
	}
	switch {
	case head.Number >= l.highest:
		l.highest, l.lowSince = head.Number, time.Time{}
		return false
	case replaced, !l.lowSince.IsZero() && now.Sub(l.lowSince) >= reorgPatience:
		l.highest, l.lowSince = head.Number, time.Time{}
		return true
	case l.lowSince.IsZero():
		l.lowSince = now
	}
	return false
}

// observe records a head that an upstream reports. If its chain went back, so do
// the views of the callers that follow it.
func (p *Pool) observe(u *upstream, head domain.BlockRef) {
	u.head.Store(head.Number)
	if u.log.report(head, p.options.clock.Now()) {
		p.options.Logger.Warn("the head of an upstream node moved backwards", "upstream", u.name, "chain", p.options.Chain, "head", head.Number)
		p.following.lower(u, head.Number)
	}
}

// headOf asks an upstream for its head. All reads that come before the question
// is sent share it. Every error is a *Fault.
func (p *Pool) headOf(ctx context.Context, u *upstream) (uint64, error) {
	u.log.mu.Lock()
	question := u.log.next
	if question == nil {
		question = &headQuestion{done: make(chan struct{})}
		u.log.next = question
		go p.askHead(context.WithoutCancel(ctx), u, question)
	}
	u.log.mu.Unlock()
	select {
	case <-question.done:
		return question.head, question.err
	case <-ctx.Done():
		return 0, &Fault{Upstream: u.name, err: context.Cause(ctx)}
	}
}

// askHead sends a question once the one before is answered.
func (p *Pool) askHead(ctx context.Context, u *upstream, question *headQuestion) {
	defer close(question.done)
	ctx, done, err := p.begin(ctx)
	if err == nil {
		defer done()
	}
	u.log.turn <- struct{}{}
	defer func() { <-u.log.turn }()
	u.log.mu.Lock()
	u.log.next = nil
	u.log.mu.Unlock()
	if err != nil {
		question.err = &Fault{Upstream: u.name, err: err}
		return
	}
	ctx, cancel := context.WithTimeout(ctx, headTimeout)
	defer cancel()
	var head domain.BlockRef
	_, err = p.try(ctx, u, query{method: "starknet_blockHashAndNumber", accept: func(result json.RawMessage) (err error) {
		head, err = wire.DecodeHead(result)
		return err
	}}, 1)
	if err != nil {
		question.err = asFault(u.name, err)
		return
	}
	p.observe(u, head)
	question.head = head.Number
}

// headIn returns the head that the answer to a read with a block tag, or
// without a block, tells. Its hash is zero if the answer does not tell it.
func headIn(q query, result json.RawMessage) (head domain.BlockRef, ok bool) {
	switch q.method {
	case "starknet_blockNumber":
		n, err := strconv.ParseUint(string(result), 10, 64)
		return domain.BlockRef{Number: n}, err == nil
	case "starknet_blockHashAndNumber":
		head, err := wire.DecodeHead(result)
		return head, err == nil
	case "starknet_getBlockWithTxHashes", "starknet_getBlockWithTxs", "starknet_getBlockWithReceipts":
		var block struct {
			Number *uint64       `json:"block_number"`
			Hash   starknet.Felt `json:"block_hash"`
		}
		switch err := json.Unmarshal(result, &block); {
		case err != nil || block.Number == nil:
		case q.tag == Latest.tag && !block.Hash.IsZero():
			return domain.BlockRef{Number: *block.Number, Hash: block.Hash}, true
		case q.tag == PreConfirmed.tag && *block.Number > 0: // it follows the head
			return domain.BlockRef{Number: *block.Number - 1}, true
		}
	}
	return domain.BlockRef{}, false
}
