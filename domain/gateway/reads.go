package gateway

import (
	"context"
	"encoding/json"
	"time"

	"astrolabe/cache"
	"astrolabe/domain/account"
)

const (
	cachedBytes = 64 << 20         // of cached answers
	cachedAge   = 10 * time.Minute // bounds how long an answer outlives a change of its node
)

// reads forwards reads, and answers immutable ones from memory.
type reads struct {
	now      func() time.Time
	accepted func(context.Context) (uint64, bool)
	cached   *cache.Weighted[string, remembered]
}

type remembered struct {
	result json.RawMessage
	at     time.Time
}

func newReads(o Options) *reads {
	return &reads{
		now: o.Now, accepted: o.Accepted,
		cached: cache.NewWeighted[string, remembered](cachedBytes),
	}
}

// forward answers a read.
func (r *reads) forward(ctx context.Context, node Node, m Method, c Call) (json.RawMessage, error) {
	block := blockOf(m, c.Params)
	if block.pinned() {
		c.Block = block.Number
	} else if !constant[m.Name] {
		c.Tag, c.Follows = tagOf(m, c.Params), meterOf(ctx)
	}
	key := c.Method + string(c.Params)
	if known, ok := r.cached.Get(key); ok && r.now().Sub(known.at) < cachedAge {
		if !c.Portion.Take(len(known.result)) {
			return nil, ErrTooLarge
		}
		return known.result, nil
	}
	if c.Portion == nil {
		c.Share = meterOf(ctx)
	}
	result, err := node.Forward(ctx, c)
	if err == nil && r.immutable(ctx, c, block, result) {
		r.cached.Add(key, remembered{result, r.now()}, len(key)+len(result))
	}
	return result, err
}

// constant are the methods whose answer does not depend on the chain.
var constant = map[string]bool{"starknet_chainId": true, "starknet_specVersion": true}

// tagOf returns the tag that names the block of a call; empty if none does.
func tagOf(m Method, params json.RawMessage) (tag string) {
	if json.Unmarshal(paramOf(m, params, blockID.Name), &tag) != nil {
		return ""
	}
	return tag
}

// meterOf identifies the caller of a request.
func meterOf(ctx context.Context) string {
	caller := account.CallerOf(ctx)
	if caller == nil {
		return ""
	}
	return string(caller.Kind) + caller.Workspace + caller.Subject
}
