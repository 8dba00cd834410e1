package graph

import (
	"time"

	"astrolabe/domain"
	"astrolabe/domain/chain"
	"astrolabe/starknet"
)

// ChainStatus is how a chain and its index stand.
type ChainStatus struct {
	ChainID                     domain.Chain
	HeadBlockNumber             *uint64
	HeadBlockHash               *starknet.Felt
	FinalizedBlockNumber        *uint64
	FinalityDepth               uint64
	LatestL1AcceptedBlockNumber *uint64
	LatestIndexedBlockNumber    *uint64
	EarliestIndexedBlockNumber  *uint64
	IndexedBlockSpan            *uint64
	LagBlocks                   *uint64
	L1Finality                  L1Finality
	Indexer                     Indexer
	AsOf                        time.Time
}

// L1Finality is how far acceptance on L1 has come.
type L1Finality struct {
	WatermarkBlockNumber *uint64
	WatermarkAgeSeconds  *uint64
}

// Indexer is what the index of a chain is doing.
type Indexer struct {
	State      chain.IndexState
	ReasonCode *string
}

func chainStatus(s chain.Status) *ChainStatus {
	status := &ChainStatus{
		ChainID:       s.Chain,
		FinalityDepth: s.Head.Depth,
		Indexer:       Indexer{State: s.Head.State},
		AsOf:          s.AsOf,
	}
	if s.Head.ReasonCode != "" {
		status.Indexer.ReasonCode = &s.Head.ReasonCode
	}
	if head := s.Head.Block; head != nil {
		status.HeadBlockNumber, status.HeadBlockHash = &head.Number, &head.Hash
	}
	if seen := s.Head.Coverage; seen != nil {
		status.FinalizedBlockNumber = seen.Finalized
		status.EarliestIndexedBlockNumber, status.LatestIndexedBlockNumber = &seen.First, &seen.Last
		status.IndexedBlockSpan = new(seen.Blocks())
	}
	if lag, known := s.Lag(); known {
		status.LagBlocks = &lag
	}
	status.LatestL1AcceptedBlockNumber, status.L1Finality.WatermarkBlockNumber = s.Head.L1, s.Head.L1
	if age, known := s.L1AgeSeconds(); known {
		status.L1Finality.WatermarkAgeSeconds = &age
	}
	return status
}
