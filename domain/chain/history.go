package chain

import "astrolabe/domain"

// ReasonNothingIndexed is the reason code of an answer that is empty because
// readers can see no block yet.
const ReasonNothingIndexed = "nothing_indexed"

// History tells how much of a chain's history a list of it rests on.
func (h Horizon) History() domain.Coverage {
	switch {
	case h.Coverage == nil:
		return domain.Coverage{Status: domain.CoverageUnavailable, ReasonCode: ReasonNothingIndexed}
	case h.Coverage.First > 0:
		return domain.Coverage{Status: domain.CoveragePartial, ReasonCode: domain.ReasonIndexStart}
	}
	return domain.Coverage{Status: domain.CoverageExact}
}
