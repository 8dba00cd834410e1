package chain

import (
	"context"
	"regexp"
	"strconv"
	"strings"
	"time"

	"astrolabe/domain"
)

// Closest is the side of a time on which a block is searched. A block of that
// second is on both sides.
type Closest string

// The two sides.
const (
	ClosestBefore Closest = "before" // the newest block that is not younger
	ClosestAfter  Closest = "after"  // the oldest block that is not older
)

// lastMoment is the last Unix second that RFC 3339 can write.
const lastMoment = 253_402_300_799

// rfc3339 is the form of a time. Package time takes other forms for it, too.
var rfc3339 = regexp.MustCompile(`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]([01]\d|2[0-3]):[0-5]\d)$`)

// ParseMoment reads a time as RFC 3339 writes it, or as Unix seconds in base
// 10. Anything else is invalid_request.
func ParseMoment(text string) (time.Time, error) {
	if seconds, err := strconv.ParseUint(text, 10, 64); err == nil && seconds <= lastMoment && text == strconv.FormatUint(seconds, 10) {
		return time.Unix(int64(seconds), 0).UTC(), nil
	}
	upper := strings.ToUpper(text) // RFC 3339 lets T and Z be lower-case, too
	at, err := time.Parse(time.RFC3339, upper)
	if err != nil || !rfc3339.MatchString(upper) || at.UTC().Year() < 0 || at.UTC().Year() > 9999 {
		return time.Time{}, domain.Errorf(domain.CodeInvalidRequest,
			"%s must be an RFC 3339 time (with + URL-encoded as %%2B) or Unix seconds from 0 to %d, got %s.", domain.Argument("timestamp"), uint64(lastMoment), domain.Quote(text))
	}
	return at.UTC(), nil
}

// AtTime is the block that was closest to a time on one side, and the closest
// ones on both sides.
type AtTime struct {
	Block *Block
	// Previous is the newest block at or before the time and Next the oldest at or
	// after it, the same block where one has exactly that time. They are nil where
	// the index has none, or another one may be closer.
	Previous, Next *Block
}

// AtTime returns the block that is closest to a time on one side. It is
// not_found when the index has none there, and when it may be one from before
// the first indexed block; service_unavailable when it may be one that the
// index has yet to read.
func (s *Blocks) AtTime(ctx context.Context, c domain.Chain, at time.Time, closest Closest) (AtTime, error) {
	horizon, err := s.statuses.Horizon(ctx, c)
	if err != nil {
		return AtTime{}, err
	}
	before, after, err := s.store.HeadersAtTime(ctx, c, at.Unix(), secondAfter(at))
	if err != nil {
		return AtTime{}, err
	}
	var found AtTime
	if before != nil && !horizon.breaksOffAt(before.Number) {
		found.Previous = horizon.block(before)
	}
	if after != nil && !horizon.beginsWith(after.Number) {
		found.Next = horizon.block(after)
	}
	if found.Block = found.Previous; closest == ClosestAfter {
		found.Block = found.Next
	}
	switch {
	case found.Block != nil:
		return found, nil
	case closest == ClosestBefore && before != nil:
		behind := domain.Errorf(domain.CodeServiceUnavailable,
			"The closest block %s that time may not be indexed yet: the index ends with block %d, behind the head of the chain. Retry later.", closest, before.Number)
		behind.RetryAfter = time.Second
		return AtTime{}, behind
	}
	return AtTime{}, nothingThere(closest, horizon)
}

// secondAfter is the first whole second at or after a time: blocks have whole
// seconds.
func secondAfter(at time.Time) int64 {
	if at.Nanosecond() > 0 {
		return at.Unix() + 1
	}
	return at.Unix()
}

// beginsWith reports whether a block is the first one that is known, although
// there are earlier ones.
func (h Horizon) beginsWith(number uint64) bool {
	return number > 0 && h.Coverage != nil && number == h.Coverage.First
}

// breaksOffAt reports whether a block is the last one that is known, although
// there are later ones.
func (h Horizon) breaksOffAt(number uint64) bool {
	return h.Coverage != nil && number >= h.Coverage.Last && (h.Behind || h.Head == nil || *h.Head > number)
}

func nothingThere(closest Closest, h Horizon) error {
	if h.Coverage != nil && h.Coverage.First > 0 {
		return domain.Errorf(domain.CodeNotFound, "The closest block %s that time is not indexed: the index begins with block %d.", closest, h.Coverage.First)
	}
	return domain.Errorf(domain.CodeNotFound, "No indexed block has a timestamp at or %s the requested time.", closest)
}
