package graph

import (
	"context"

	"astrolabe/domain"
	"astrolabe/domain/token"
)

// HolderAnalytics is how a token is spread over its holders.
type HolderAnalytics struct {
	GenerationID         string
	AsOfBlock            uint64
	ValidatedAgainst     string
	Top5, Top10, Top100  HolderShare
	GiniPpm              int
	Nakamoto50Count      *int
	HoldersAbove1Percent int
	TierDistribution     []HolderTier
}

// HolderShare is what some holders have together.
type HolderShare struct {
	BalanceRaw domain.Amount
	ShareBps   int
}

// HolderTier is the holders with a share of a size.
type HolderTier struct {
	Tier        string
	MinShareBps int
	Count       int
	BalanceRaw  domain.Amount
}

// HolderAnalytics returns how the token is spread.
func (t *Token) HolderAnalytics(ctx context.Context) (*HolderAnalytics, error) {
	census, err := load(ctx, t.peers, edge{field: "Token.holderAnalytics"}, t, func(ctx context.Context, tokens []*Token) ([]token.Census, error) {
		return t.h.Censuses.Of(ctx, t.chain, convert(tokens, (*Token).TokenAddress))
	})
	if err != nil {
		return nil, err
	}
	facts, err := census.Analytics()
	if err != nil {
		return nil, err
	}
	share := func(s token.Share) HolderShare { return HolderShare{s.Balance, int(s.Bps)} }
	analytics := &HolderAnalytics{
		GenerationID: census.Generation.Name(), AsOfBlock: census.Generation.Block.Number, ValidatedAgainst: token.AnalyticsValidation,
		Top5: share(facts.Top5), Top10: share(facts.Top10), Top100: share(facts.Top100),
		GiniPpm: int(facts.GiniPpm), HoldersAbove1Percent: int(facts.Above1Percent),
		TierDistribution: convert(facts.Tiers, func(t token.Tier) HolderTier {
			return HolderTier{t.Name, int(t.MinShareBps), int(t.Count), t.Balance}
		}),
	}
	if facts.Nakamoto50 != nil {
		analytics.Nakamoto50Count = new(int(*facts.Nakamoto50))
	}
	return analytics, nil
}
