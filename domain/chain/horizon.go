package chain

import (
	"context"

	"astrolabe/domain"
)

// Tier tells whether a row can still be undone here.
type Tier string

// The tiers.
const (
	HeadTier      Tier = "head"      // a reorganisation can undo it
	FinalizedTier Tier = "finalized" // depth-confirmed and immutable
)

// FinalityStatus is what the network says of a block.
type FinalityStatus string

// The statuses of blocks in the index.
const (
	AcceptedOnL2 FinalityStatus = "ACCEPTED_ON_L2"
	AcceptedOnL1 FinalityStatus = "ACCEPTED_ON_L1"
)

// Horizon is how far a chain has come at one moment: what readers see of it,
// and up to where that is finalized and accepted on L1. Rows are stamped with
// it when they are shown, because both grow after a row was stored.
type Horizon struct {
	Coverage *Coverage // nil while readers can see no block
	L1       *uint64   // the newest block that L1 has accepted; nil while unknown
	Epoch    uint64    // grows whenever an operator changes facts of final blocks
	Head     *uint64   // the node's newest block as it was last seen; nil while unknown
	Behind   bool      // readers lack blocks that the chain has, or must be expected to have
}

// Horizon returns how far a chain has come.
func (s *Statuses) Horizon(ctx context.Context, c domain.Chain) (Horizon, error) {
	statuses, err := s.Of(ctx, []domain.Chain{c})
	if err != nil {
		return Horizon{}, err
	}
	head := &statuses[0].Head
	horizon := Horizon{Coverage: head.Coverage, L1: head.L1, Epoch: head.Epoch, Behind: statuses[0].behind()}
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

// Finality returns what the network says of a block.
func (h Horizon) Finality(block uint64) FinalityStatus {
	if h.L1 != nil && block <= *h.L1 {
		return AcceptedOnL1
	}
	return AcceptedOnL2
}

// Messages returns copies of messages with what the horizon says of them.
func (h Horizon) Messages(list []Message) []Message {
	stamped := make([]Message, len(list))
	for i, m := range list {
		m.Tier, m.Status = h.Tier(m.Block), messageStatus(&m, h)
		stamped[i] = m
	}
	return stamped
}
