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
		return head.Block.Number > head.Coverage.Last || s.headStale()
	}
	return head.Block.Number > head.Coverage.Last+FollowLag || s.headStale()
}

// headStale reports whether the chain must be expected to have gone on since its
// head was last seen.
func (s *Status) headStale() bool {
	stopped := s.Head.State == Halted || s.Head.State == RateLimited
	return stopped && s.AsOf.Sub(s.Head.ObservedAt) > haltedFor
}

// History returns the coverage of a list over the whole chain.
func (h Horizon) History() domain.Coverage { return h.Between(nil, nil) }

// Between returns the coverage of a block range, both ends inclusive: exact when
// the index holds every block of it that the chain has, unavailable when it holds
// none of them. Without a bound the range begins at block 0 or ends at the head,
// which a healthy index follows within FollowLag blocks.
func (h Horizon) Between(from, to *uint64) domain.Coverage {
	held := h.Coverage
	switch {
	case held == nil:
		return domain.Coverage{Status: domain.CoverageUnavailable, ReasonCode: domain.ReasonNothingIndexed}
	case to != nil && *to < held.First:
		return domain.Coverage{Status: domain.CoverageUnavailable, ReasonCode: domain.ReasonIndexStart}
	case from != nil && *from > held.Last && h.mayHave(*from):
		return domain.Coverage{Status: domain.CoverageUnavailable, ReasonCode: domain.ReasonIndexBehind}
	case from != nil && *from > held.Last: // none of these blocks exists yet
		return domain.Coverage{Status: domain.CoverageExact}
	case held.First > 0 && (from == nil || *from < held.First):
		return domain.Coverage{Status: domain.CoveragePartial, ReasonCode: domain.ReasonIndexStart}
	case to == nil && h.Behind, to != nil && *to > held.Last && h.mayHave(held.Last+1):
		return domain.Coverage{Status: domain.CoveragePartial, ReasonCode: domain.ReasonIndexBehind}
	}
	return domain.Coverage{Status: domain.CoverageExact}
}

// mayHave reports whether the chain has a block, or may have it.
func (h Horizon) mayHave(block uint64) bool {
	return h.Head == nil || *h.Head >= block || h.HeadStale
}
