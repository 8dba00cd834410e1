package graph

import (
	"astrolabe/domain"
	"astrolabe/domain/event"
)

// Coverage is how much of what was asked for an answer rests on.
type Coverage struct {
	Status     Word
	ReasonCode *string
}

func coverageOf(c domain.Coverage) *Coverage {
	return &Coverage{Word(c.Status), textOrNil(c.ReasonCode)}
}

// BlockInterval is blocks, both ends included.
type BlockInterval struct {
	FromBlock, ToBlock uint64
}

// RangeCoverage is what a search over a wide range rests on.
type RangeCoverage struct {
	Requested   BlockInterval
	Completed   *BlockInterval
	Complete    bool
	Diagnostics CoverageDiagnostics
}

// CoverageDiagnostics is how coverage stands to the blocks that it is made
// from.
type CoverageDiagnostics struct {
	FreshnessStatus                Word
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
		Word(d.Freshness), d.SourceLow, d.SourceHigh, d.ContiguousLow, d.ContiguousHigh, d.Lag, d.OpenEnded, d.LiveMaintenance,
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
