package graph

import (
	"context"
	"time"

	"astrolabe/domain"
	"astrolabe/starknet"
)

// SelectorCoverage is a key position that searches over wide ranges may use.
type SelectorCoverage struct {
	ChainID      domain.Chain
	Selector     starknet.Felt
	Position     int
	SourceTier   Word
	FromBlock    uint64
	ThroughBlock uint64
	Status       Word
	VerifiedAt   *time.Time
	Diagnostics  CoverageDiagnostics
}

// SelectorCoverage lists the coverage of all served chains.
func (s *Service) SelectorCoverage(ctx context.Context) ([]SelectorCoverage, error) {
	var list []SelectorCoverage
	for _, c := range s.Chains {
		found, err := s.h.Events.Coverage(ctx, c)
		if err != nil {
			return nil, err
		}
		for _, row := range found {
			list = append(list, SelectorCoverage{
				ChainID: c, Selector: row.Selector, Position: row.Position, SourceTier: Word(row.Tier()), FromBlock: row.From, ThroughBlock: *row.Through,
				Status: Word(row.Status), VerifiedAt: row.VerifiedAt, Diagnostics: diagnosticsOf(row.Diagnostics),
			})
		}
	}
	return list, nil
}
