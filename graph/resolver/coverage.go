package resolver

import (
	"astrolabe/domain"
	"astrolabe/domain/event"
	"astrolabe/graph/scalar"
	"astrolabe/starknet"
	"context"
	"time"
)

// Coverage is how much of the requested history a response is based on.
type Coverage struct {
	Status     scalar.Enum
	ReasonCode *string
}

func coverageOf(c domain.Coverage) *Coverage {
	return &Coverage{scalar.Enum(c.Status), textOrNil(c.ReasonCode)}
}

// BlockInterval is a block range, both ends inclusive.
type BlockInterval struct {
	FromBlock, ToBlock uint64
}

// RangeCoverage is the coverage of a search over more than 10,000 blocks.
type RangeCoverage struct {
	Requested   BlockInterval
	Completed   *BlockInterval
	Complete    bool
	Diagnostics CoverageDiagnostics
}

// CoverageDiagnostics describes the freshness of a certificate and the indexed
// blocks that it is built from.
type CoverageDiagnostics struct {
	FreshnessStatus                scalar.Enum
	SourceLowWaterBlock            uint64
	SourceHighWaterBlock           uint64
	SourceContiguousLowWaterBlock  uint64
	SourceContiguousHighWaterBlock uint64
	LagBlocks                      uint64
	OpenEnded                      bool
	LiveMaintenance                bool
}

func diagnosticsOf(d event.Diagnostics) CoverageDiagnostics {
	return CoverageDiagnostics{
		scalar.Enum(d.Freshness), d.SourceLow, d.SourceHigh, d.ContiguousLow, d.ContiguousHigh, d.Lag, d.OpenEnded, d.LiveMaintenance,
	}
}

func rangeCoverageOf(r *event.RangeCoverage) *RangeCoverage {
	if r == nil {
		return nil
	}
	coverage := &RangeCoverage{
		Requested: BlockInterval{r.Requested.From, r.Requested.To}, Complete: r.Complete, Diagnostics: diagnosticsOf(r.Diagnostics),
	}
	if r.Completed != nil {
		coverage.Completed = &BlockInterval{r.Completed.From, r.Completed.To}
	}
	return coverage
}

// SelectorCoverage is the certificate of one key position of a selector's
// events.
type SelectorCoverage struct {
	ChainID      domain.Chain
	Selector     starknet.Felt
	Position     int
	SourceTier   scalar.Enum
	FromBlock    uint64
	ThroughBlock uint64
	Status       scalar.Enum
	VerifiedAt   *time.Time
	Diagnostics  CoverageDiagnostics
}

// SelectorCoverage returns the certificates that searches over more than 10,000
// blocks can use, for all served chains.
func (s *Service) SelectorCoverage(ctx context.Context) ([]SelectorCoverage, error) {
	var list []SelectorCoverage
	for _, c := range s.Chains {
		found, err := s.resolver.Events.Coverage(ctx, c)
		if err != nil {
			return nil, err
		}
		for _, row := range found {
			list = append(list, SelectorCoverage{
				ChainID: c, Selector: row.Selector, Position: row.Position, SourceTier: scalar.Enum(row.Tier()), FromBlock: row.From, ThroughBlock: *row.Through,
				Status: scalar.Enum(row.Status), VerifiedAt: row.VerifiedAt, Diagnostics: diagnosticsOf(row.Diagnostics),
			})
		}
	}
	return list, nil
}
