package node

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"

	"astrolabe/node/wire"
	"astrolabe/starknet"
)

// Upstreams returns the number of upstreams that answer calls.
func (p *Pool) Upstreams() int { return len(p.upstreams) }

// Agreement asks every upstream for the hash of the block with a number, and
// returns how many have the given one. others names those that do not, with
// their answer: another hash, or why there is none.
func (s Source) Agreement(ctx context.Context, number uint64, hash starknet.Felt) (agreeing int, others []string, err error) {
	p := s.pool
	ctx, done, err := p.begin(ctx)
	if err != nil {
		return 0, nil, judge(err)
	}
	defer done()
	ctx, cancel := context.WithTimeout(ctx, p.options.Timeout)
	defer cancel()
	params, err := json.Marshal([]any{AtNumber(number)})
	if err != nil {
		return 0, nil, err
	}
	var (
		asking sync.WaitGroup
		mu     sync.Mutex
	)
	for _, u := range p.upstreams {
		asking.Go(func() {
			var block starknet.BlockWithHashes
			_, err := p.try(ctx, u, query{method: "starknet_getBlockWithTxHashes", params: params, accept: func(result json.RawMessage) (err error) {
				if block, err = wire.DecodeBlockWithHashes(result); err == nil {
					err = AtNumber(number).check(&block.BlockHeader, block.Status)
				}
				return err
			}}, 1)
			mu.Lock()
			defer mu.Unlock()
			switch {
			case err != nil:
				others = append(others, fmt.Sprintf("%s: %v", u.name, err))
			case block.BlockHash != hash:
				others = append(others, fmt.Sprintf("%s: %s", u.name, block.BlockHash))
			default:
				agreeing++
			}
		})
	}
	asking.Wait()
	return agreeing, others, judge(context.Cause(ctx))
}
