package chain

import (
	"time"

	"astrolabe/domain"
)

const (
	// FollowLag is how many blocks a healthy index may be behind its node: it
	// learns of a block before readers can see it.
	FollowLag = 20
	// haltedFor is for how long the last known head is believed to be the
	// chain's when nothing follows it.
	haltedFor = 2 * time.Minute
)

// behind reports whether readers lack blocks that the chain is known, or must be
// expected, to have.
func (s *Status) behind() bool {
	head := &s.Head
	switch {
	case head.Coverage == nil || head.Block == nil:
		return true
	case head.State == Halted:
		return head.Block.Number > head.Coverage.Last || s.AsOf.Sub(head.ObservedAt) > haltedFor
	}
	return head.Block.Number > head.Coverage.Last+FollowLag
}

// History returns the coverage of a list over the whole chain.
func (h Horizon) History() domain.Coverage { return h.Between(nil, nil) }

// Between returns the coverage of a block range, both ends inclusive. Without a
// bound the range begins at block 0 or ends at the head, which a healthy index
// follows within FollowLag blocks.
func (h Horizon) Between(from, to *uint64) domain.Coverage {
	held := h.Coverage
	switch {
	case held == nil:
		return domain.Coverage{Status: domain.CoverageUnavailable, ReasonCode: domain.ReasonNothingIndexed}
	case held.First > 0 && (from == nil || *from < held.First):
		return domain.Coverage{Status: domain.CoveragePartial, ReasonCode: domain.ReasonIndexStart}
	case to == nil && h.Behind, to != nil && *to > held.Last:
		return domain.Coverage{Status: domain.CoveragePartial, ReasonCode: domain.ReasonIndexBehind}
	}
	return domain.Coverage{Status: domain.CoverageExact}
}
