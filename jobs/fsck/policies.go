package fsck

import (
	"context"
	"fmt"

	"astrolabe/domain/indexing"
	"astrolabe/domain/token"
	"astrolabe/jobs/census"
	"astrolabe/starknet"
)

// policies judges every token again that has a census policy, at the block of the
// policy. Nothing is judged by damaged or outdated rows.
func (l *inspection) policies(ctx context.Context) error {
	if l.Readings == nil || l.Untyped == nil || len(l.altered) > 0 || l.outdated || l.misplaced {
		return nil
	}
	var after *starknet.Felt
	for !l.full() {
		stored, err := l.Readings.CensusPolicies(ctx, l.Chain, after, tokensAtOnce)
		if err != nil || len(stored) == 0 {
			return err
		}
		l.report("checking which tokens qualify for a census: at %s", stored[0].Token)
		blocks := make(map[uint64][]starknet.Felt)
		for i := range stored {
			blocks[stored[i].Block] = append(blocks[stored[i].Block], stored[i].Token)
		}
		for block, tokens := range blocks {
			lives, err := census.Lives(ctx, l.Archive, l.Untyped, l.Chain, block, tokens)
			if err != nil {
				return l.damage(err)
			}
			for i := range stored {
				if stored[i].Block == block {
					l.policy(&stored[i], token.JudgeCensus(lives[stored[i].Token], block))
				}
			}
		}
		after = &stored[len(stored)-1].Token
	}
	return nil
}

// policy compares a stored policy with the one that follows from stored rows. A
// class that was missing may have been proven since: then the worker judges the
// token again by itself.
func (l *inspection) policy(stored *token.StoredPolicy, expected token.CensusPolicy) {
	if stored.CensusPolicy == expected || stored.Reason == token.ReasonClassUnknown {
		return
	}
	describe := func(p token.CensusPolicy) string {
		if p.Qualified {
			return "qualified"
		}
		return "not qualified: " + p.Reason
	}
	l.found(indexing.Finding{
		Check: "census policies", Block: &stored.Block, Repair: indexing.Advice(l.Chain).Discard(indexing.Censuses),
		Detail: fmt.Sprintf("token %s is stored as %s, but is %s", stored.Token, describe(stored.CensusPolicy), describe(expected)),
	})
}
