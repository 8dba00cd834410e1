package domain

// CoverageStatus tells how much of what was asked for an answer rests on.
type CoverageStatus string

// The statuses of coverage.
const (
	CoverageExact       CoverageStatus = "exact"
	CoveragePartial     CoverageStatus = "partial"
	CoverageUnavailable CoverageStatus = "unavailable"
)

// Coverage tells how much of what was asked for an answer rests on, and why it
// is not all of it.
type Coverage struct {
	Status     CoverageStatus
	ReasonCode string // empty when the status is exact
}

// ReasonIndexStart is the reason code of an answer that lacks what happened
// before the first indexed block.
const ReasonIndexStart = "index_starts_later"
