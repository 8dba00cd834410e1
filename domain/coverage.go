package domain

// CoverageStatus says how much of the requested range is indexed.
type CoverageStatus string

// The statuses of coverage.
const (
	CoverageExact       CoverageStatus = "exact"
	CoveragePartial     CoverageStatus = "partial"
	CoverageUnavailable CoverageStatus = "unavailable"
)

// Coverage says how much of the requested range is indexed, and why the rest
// is missing.
type Coverage struct {
	Status     CoverageStatus
	ReasonCode string // empty when the status is exact
}

// The reason codes of incomplete coverage, shared by all answers.
const (
	ReasonNothingIndexed = "nothing_indexed"    // no block is indexed yet
	ReasonIndexStart     = "index_starts_later" // the range begins before the first indexed block
	ReasonIndexBehind    = "index_behind"       // the range ends after the newest indexed block
)

// ReasonUntypedTransfers is the reason code of answers that events of unknown
// meaning could change: they have the selector of a transfer, but no known class
// says what they move.
const ReasonUntypedTransfers = "untyped_transfers"

// Untyped returns the coverage of an answer that untyped transfers could change,
// if there is any evidence of them. An index that is behind catches up, so that
// they are the reason that lasts. Blocks before the index remain the reason where
// there are any.
func (c Coverage) Untyped(evidence bool) Coverage {
	if evidence && (c.Status == CoverageExact || c.ReasonCode == ReasonIndexBehind) {
		return Coverage{Status: CoveragePartial, ReasonCode: ReasonUntypedTransfers}
	}
	return c
}

// ReasonLimit is the reason code of a list that has more items than the limit.
const ReasonLimit = "limit_reached"
