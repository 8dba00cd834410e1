package token

import (
	"time"
)

// SummaryStatus tells what the counts of a summary rest on.
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
	// transfers to count for an answer, or not all of them are indexed.
	SummaryMetadataOnly SummaryStatus = "metadata_only"
)

const (
	// summaryLag is how many finalized blocks sums may be behind and still be
	// completed for an answer.
	summaryLag = 100
	// summaryCount is how many transfers are counted for an answer.
	summaryCount = 25_000
)

// Summary is a token with what its transfers add up to.
type Summary struct {
	Token
	Status    SummaryStatus
	UpdatedAt *time.Time // of the sums, in the precision of domain.Milliseconds; nil where none were used
	Counts    *Counts    // nil: unknown, which is not zero
	Latest    *uint64    // the newest block with a transfer; nil when none is indexed
}

// Counts are exact.
type Counts struct {
	Transfers uint64
	Senders   uint64 // distinct ones
	Receivers uint64 // distinct ones
}

// Counting bounds what is counted for an answer.
type Counting struct {
	// Fresh is the block that sums must reach for what is above them to be
	// counted.
	Fresh uint64
	// Most is the largest number of transfers that are counted.
	Most uint64
}

// Counted is what a store has of a token's summary, all of one moment.
type Counted struct {
	Token
	Whole     bool    // the indexed history holds the contract's deployment
	Latest    *uint64 // the newest block with a transfer
	Through   *uint64 // up to which block there are sums of the chain; nil: there are none
	UpdatedAt *time.Time
	Sums      *Counts // of the token; nil when it had not moved by then
	Above     *Counts // beyond the sums, if there are any; nil when not counted
}

// summary decides what the counts are, and what they rest on.
func (c *Counted) summary(bounds Counting) Summary {
	s := Summary{Token: c.Token, Latest: c.Latest, Status: SummaryMetadataOnly}
	fresh := c.Through != nil && *c.Through >= bounds.Fresh
	switch {
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

// Summing is what one step of adding transfers to the sums came to.
type Summing struct {
	Advanced bool   // there was something to add
	Through  uint64 // up to which block there are sums now
	More     bool   // there is more to add
}
