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

// The reason codes of what an index lacks: one for each condition, whatever the
// answer is about.
const (
	ReasonNothingIndexed = "nothing_indexed"    // readers can see no block yet
	ReasonIndexStart     = "index_starts_later" // what happened before the first indexed block
	ReasonIndexBehind    = "index_behind"       // what happened after the newest indexed block
)

// ReasonLimit is the reason code of a list that goes on.
const ReasonLimit = "limit_reached"
