package token

import (
	"time"
)

// SummaryStatus is the basis of the counts of a summary.
type SummaryStatus string

// The statuses of a summary.
const (
	// SummaryCurrent are the sums that a job keeps of finalized transfers and
	// all transfers above them: every indexed transfer, now.
	SummaryCurrent SummaryStatus = "current"
	// SummaryComputed is a count of all transfers, made for this answer because
	// there are no sums of the token yet.
	SummaryComputed SummaryStatus = "computed"
	// SummaryStale are the sums alone, which are behind, or all that an index
	// has which is behind its chain: the counts were right at an older block.
	SummaryStale SummaryStatus = "stale"
	// SummaryMetadataOnly has no counts: there are no sums, and too many
	// transfers to count for an answer, or not all of them are indexed and
	// typed.
	SummaryMetadataOnly SummaryStatus = "metadata_only"
)

const (
	// summaryLag is how many finalized blocks sums may be behind and still be
	// completed for an answer.
	summaryLag = 100
	// summaryCount is how many transfers are counted for an answer.
	summaryCount = 25_000
)

// Summary is a token with its transfer counts.
type Summary struct {
	Token
	Status    SummaryStatus
	UpdatedAt *time.Time // of the sums, in the precision of domain.Milliseconds; nil where none were used
	Counts    *Counts    // nil: unknown, which is not zero
	// Latest is the newest block with a transfer; nil when none is indexed, or
	// when an untyped one may be newer.
	Latest *uint64
}

// Counts are exact.
type Counts struct {
	Transfers uint64
	Senders   uint64 // distinct ones
	Receivers uint64 // distinct ones
}

// Counting limits how many transfers are counted for a response.
type Counting struct {
	// Fresh is the block that the totals must reach; later transfers are then
	// counted for the response.
	Fresh uint64
	// Most is the largest number of transfers that are counted.
	Most uint64
}

// Counted is the stored counts of a token, in one snapshot.
type Counted struct {
	Token
	Untyped   bool    // it emitted events that may be transfers and cannot be typed
	Whole     bool    // the indexed history holds the contract's deployment
	Latest    *uint64 // the newest block with a transfer
	Through   *uint64 // up to which block there are sums of the chain; nil: there are none
	UpdatedAt *time.Time
	Sums      *Counts // of the token; nil when it had not moved by then
	Above     *Counts // beyond the sums, if there are any; nil when not counted
}

// summary decides on the counts and their basis.
func (c *Counted) summary(bounds Counting) Summary {
	s := Summary{Token: c.Token, Latest: c.Latest, Status: SummaryMetadataOnly}
	fresh := c.Through != nil && *c.Through >= bounds.Fresh
	switch {
	case c.Untyped:
		s.Latest = nil
	case !c.Whole: // what happened before the first indexed block is unknown
	case fresh && c.Above != nil:
		s.Status, s.Counts, s.UpdatedAt = SummaryCurrent, c.Above, c.UpdatedAt
		if c.Sums != nil {
			s.Counts = &Counts{c.Sums.Transfers + c.Above.Transfers, c.Sums.Senders + c.Above.Senders, c.Sums.Receivers + c.Above.Receivers}
		}
	case c.Sums != nil:
		s.Status, s.Counts, s.UpdatedAt = SummaryStale, c.Sums, c.UpdatedAt
	case c.Above != nil:
		s.Status, s.Counts = SummaryComputed, c.Above
	}
	return s
}

// Summing is the result of one step of adding transfers to the totals.
type Summing struct {
	Advanced bool   // there was something to add
	Through  uint64 // up to which block there are sums now
	More     bool   // there is more to add
}
