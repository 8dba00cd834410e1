package node

import (
	"context"
	"encoding/json"
	"sync"

	"astrolabe/node/wire"
)

// tolerableLag is how many blocks an upstream may be behind the furthest one.
// Nodes learn of a block some seconds apart, and a block takes a few seconds.
const tolerableLag = 5

// surveyIfDue compares the heads of the upstreams periodically, in the
// background, while the pool is in use.
func (p *Pool) surveyIfDue() {
	if len(p.upstreams) < 2 {
		return
	}
	p.mu.Lock()
	now := p.options.clock.Now()
	due := now.Sub(p.surveyed) >= p.options.timing.survey
	if due {
		p.surveyed = now
	}
	p.mu.Unlock()
	if !due {
		return
	}
	ctx, done, err := p.begin(context.Background())
	if err != nil {
		return
	}
	go func() {
		defer done()
		p.survey(ctx)
	}()
}

// survey reads the head of every upstream concurrently, which also tries those
// whose pause is over, and marks the ones that are behind. An upstream that
// does not respond is not marked; its circuit handles it.
func (p *Pool) survey(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, p.options.timing.survey)
	defer cancel()
	heads := make([]*uint64, len(p.upstreams)) // nil without a response
	var asked sync.WaitGroup
	for i, u := range p.upstreams {
		asked.Go(func() {
			_, _ = p.try(ctx, u, query{method: "starknet_blockNumber", accept: func(result json.RawMessage) error {
				head, err := wire.DecodeUint(result)
				if err == nil {
					heads[i] = &head
				}
				return err
			}}, 1)
		})
	}
	asked.Wait()
	var furthest uint64
	for _, head := range heads {
		if head != nil {
			furthest = max(furthest, *head)
		}
	}
	for i, u := range p.upstreams {
		behind := heads[i] != nil && *heads[i]+tolerableLag < furthest
		if u.behind.Swap(behind) != behind {
			p.options.Logger.Info("the lag of an upstream node changed",
				"upstream", u.name, "chain", p.options.Chain, "behind", behind, "furthest", furthest)
		}
	}
}
