package privacy

import (
	"time"

	"astrolabe/domain/privacy"
	"astrolabe/graph/scalar"
	"astrolabe/starknet"
)

// AsOf is the newest block of the flow ledger.
type AsOf struct {
	BlockNumber    *uint64
	BlockHash      *starknet.Felt
	BlockTimestamp *time.Time
	MaterializedAt *time.Time
}

// AsOfSnapshot makes the object of a snapshot's block.
func AsOfSnapshot(s *privacy.Snapshot) AsOf {
	as := AsOf{MaterializedAt: s.MaterializedAt}
	if at := s.AsOf; at != nil {
		as.BlockNumber, as.BlockHash, as.BlockTimestamp = &at.Number, &at.Hash, new(unix(at.Timestamp))
	}
	return as
}

// Coverage is what the flow ledger covers, and whether it may be published.
type Coverage struct {
	Status, ReasonCode          scalar.Enum
	FinalizedOnly               bool
	FinalityBasis               string
	AsOfL1Accepted              *bool
	LatestL1AcceptedBlockNumber *uint64
	LatestL1AcceptedBlockHash   *starknet.Felt
	FromBlockNumber             *uint64
	ThroughBlockNumber          *uint64
	MissingAmountEventCount     uint64
	DecodedMaterializationFresh bool
	DecodedEventLagBlocks       *uint64
	LatestEventCursor           *string
	LatestEventBlockNumber      *uint64
	PoolContractCount           uint64
	TokenCount                  int
}

// CoverageOf makes the object of a snapshot's coverage.
func CoverageOf(s *privacy.Snapshot) Coverage {
	c := Coverage{
		Status: scalar.Enum(s.Status), ReasonCode: scalar.Enum(s.Reason), FinalizedOnly: true, FinalityBasis: privacy.FinalityBasis,
		AsOfL1Accepted: s.L1Accepted, FromBlockNumber: s.From, MissingAmountEventCount: s.Missing, DecodedMaterializationFresh: s.Fresh,
		DecodedEventLagBlocks: s.LagBlocks, LatestEventCursor: watermark(s.LatestFlow), PoolContractCount: s.Pools, TokenCount: len(s.Assets),
	}
	if s.AsOf != nil {
		c.ThroughBlockNumber = &s.AsOf.Number
	}
	if s.L1 != nil {
		c.LatestL1AcceptedBlockNumber, c.LatestL1AcceptedBlockHash = &s.L1.Number, &s.L1.Hash
	}
	if s.LatestEvent != nil {
		c.LatestEventBlockNumber = &s.LatestEvent.Block
	}
	return c
}

// PointAsOf is the last block before the end of an hour.
type PointAsOf struct {
	BlockNumber                    uint64
	BlockHash                      starknet.Felt
	BlockTimestamp, MaterializedAt time.Time
	LatestEventCursor              *string
}

// AsOfPoint makes the object of a point's block.
func AsOfPoint(p *privacy.Point) PointAsOf {
	return PointAsOf{p.Block.Number, p.Block.Hash, unix(p.Block.Timestamp), p.MaterializedAt, watermark(p.LatestFlow)}
}
