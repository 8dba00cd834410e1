package chain

import (
	"context"

	"astrolabe/domain"
)

// Tier says whether a reorg can still remove a row.
type Tier string

// The tiers.
const (
	HeadTier      Tier = "head"      // a reorganisation can undo it
	FinalizedTier Tier = "finalized" // depth-confirmed and immutable
)

// FinalityStatus is the finality of a block on Starknet.
type FinalityStatus string

// The statuses of blocks in the index.
const (
	AcceptedOnL2 FinalityStatus = "ACCEPTED_ON_L2"
	AcceptedOnL1 FinalityStatus = "ACCEPTED_ON_L1"
)

// Horizon is the state of a chain at one moment: the indexed range, and up to
// which block it is finalized and accepted on L1. Rows get their finality from
// it when they are rendered, because it changes after they were stored.
type Horizon struct {
	Coverage *Coverage // nil while readers can see no block
	L1       *uint64   // the newest block that L1 has accepted; nil while unknown
	Epoch    uint64    // grows whenever facts of final blocks change, or a class gets a verification record
	Head     *uint64   // the node's newest block as it was last seen; nil while unknown
	Behind   bool      // readers lack blocks that the chain has, or must be expected to have
	// HeadStale reports that nothing follows the chain any more, so that it may
	// have gone on beyond Head.
	HeadStale bool
}

// Horizon returns how far a chain has come.
func (s *Statuses) Horizon(ctx context.Context, c domain.Chain) (Horizon, error) {
	statuses, err := s.Of(ctx, []domain.Chain{c})
	if err != nil {
		return Horizon{}, err
	}
	head := &statuses[0].Head
	horizon := Horizon{Coverage: head.Coverage, L1: head.L1, Epoch: head.Epoch, Behind: statuses[0].behind(), HeadStale: statuses[0].headStale()}
	if head.Block != nil {
		horizon.Head = &head.Block.Number
	}
	return horizon, nil
}

// Tier returns the tier of a block's rows.
func (h Horizon) Tier(block uint64) Tier {
	if h.Coverage != nil && h.Coverage.Finalized != nil && block <= *h.Coverage.Finalized {
		return FinalizedTier
	}
	return HeadTier
}

// Finality returns the finality of a block.
func (h Horizon) Finality(block uint64) FinalityStatus {
	if h.L1 != nil && block <= *h.L1 {
		return AcceptedOnL1
	}
	return AcceptedOnL2
}

// Messages returns copies of messages with their finality.
func (h Horizon) Messages(list []Message) []Message {
	stamped := make([]Message, len(list))
	for i, m := range list {
		m.Tier, m.Status = h.Tier(m.Block), messageStatus(&m, h)
		stamped[i] = m
	}
	return stamped
}
