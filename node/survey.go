package node

import (
	"context"
	"encoding/json"

	"astrolabe/domain"
	"astrolabe/node/wire"
)

// tolerableLag is how many blocks an upstream may be behind the furthest one.
// Nodes learn of a block some seconds apart, and a block takes a few seconds.
const tolerableLag = 5

// Survey checks every upstream concurrently: its chain, its specification
// version and its head, regardless of earlier checks and of pauses. So a change
// of an upstream is known after one survey, in either direction. It marks the
// upstreams that are behind, and returns the furthest head.
func (p *Pool) Survey(ctx context.Context) (domain.BlockRef, error) {
	furthest, _, err := p.survey(ctx, 1)
	return furthest, err
}

// survey is Survey that waits for enough answers. It returns all of them, too.
func (p *Pool) survey(ctx context.Context, enough int) (domain.BlockRef, []answer[domain.BlockRef], error) {
	p.mu.Lock()
	p.surveyed = p.options.clock.Now()
	p.mu.Unlock()
	answers, err := askAll(ctx, p, enough, query{method: "starknet_blockHashAndNumber", probe: true}, wire.DecodeHead)
	if err != nil {
		return domain.BlockRef{}, nil, err
	}
	furthest, err := newest(answers)
	if err != nil {
		return domain.BlockRef{}, nil, err
	}
	p.lead.Store(furthest)
	for _, a := range answers {
		if a.err == nil { // the circuit handles the others
			p.observe(a.from, a.value)
			p.mark(a.from, a.value.Number+tolerableLag < furthest.value.Number, furthest.value.Number)
		}
	}
	return furthest.value, answers, nil
}

func (p *Pool) mark(u *upstream, behind bool, furthest uint64) {
	if u.behind.Swap(behind) != behind {
		p.options.Logger.Info("the lag of an upstream node changed",
			"upstream", u.name, "chain", p.options.Chain, "behind", behind, "furthest", furthest)
	}
}

// surveyIfDue surveys the upstreams periodically, in the background, while the
// pool is in use.
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
		_, _ = p.Survey(ctx)
	}()
}

// l1Heads returns the newest block that each upstream reports as accepted on L1.
// Upstreams learn of acceptance minutes apart, so one that is asked alone could
// seem to withdraw it.
func (p *Pool) l1Heads(ctx context.Context, enough int) ([]answer[domain.BlockRef], error) {
	q := query{method: "starknet_getBlockWithTxHashes", params: json.RawMessage(`["l1_accepted"]`)}
	return askAll(ctx, p, enough, q, func(result []byte) (domain.BlockRef, error) {
		block, err := wire.DecodeBlockWithHashes(result)
		if err == nil {
			err = L1Accepted.check(&block.BlockHeader, block.Status)
		}
		return domain.BlockRef{Number: block.BlockNumber, Hash: block.BlockHash}, err
	})
}

// newest returns the answer with the highest block number. If there is none, it
// returns a node error, or else why each upstream failed.
func newest(answers []answer[domain.BlockRef]) (best *answer[domain.BlockRef], err error) {
	for i := range answers {
		if a := &answers[i]; a.err == nil && (best == nil || a.value.Number > best.value.Number) {
			best = a
		}
	}
	if best == nil {
		return nil, failure(answers)
	}
	return best, nil
}
