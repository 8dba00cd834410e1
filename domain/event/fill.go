package event

import (
	"context"
	"time"

	"astrolabe/domain"
)

// segment is a stretch of a search that is read in one way, down to from.
type segment struct {
	from Place
	// read returns the newest events of a span that the search wants: at least
	// limit+1 where there are as many. Where it did not look at the whole span,
	// it returns the oldest place that it has looked at.
	read func(ctx context.Context, span Span, limit int) (rows []Row, reached *Place, err error)
}

// maxSteps bounds how often one page reads.
const maxSteps = 8

// fill reads a page from adjacent segments, newest first. It stops when the
// page is full, when all segments are read, after maxSteps, or after half of
// the request's time; the cursor of an incomplete page continues where it
// stopped.
func fill(ctx context.Context, segments []segment, span Span, limit int) (domain.Page[Row], error) {
	var rows []Row
	enough := halfTime(ctx)
	before, steps := span.Before, 0
	for _, s := range segments {
		for before.Compare(s.from) > 0 {
			read, reached, err := s.read(ctx, Span{From: s.from, Before: before}, limit-len(rows))
			if err != nil {
				return domain.Page[Row]{}, err
			}
			rows = append(rows, read...)
			if len(rows) > limit {
				return domain.CutPage(rows, limit, Row.Position), nil
			}
			before = s.from
			if reached != nil {
				before = *reached
			}
			if steps++; before.Compare(span.From) > 0 && (steps == maxSteps || enough()) {
				return domain.Page[Row]{Items: rows, Next: before.position()}, nil
			}
		}
	}
	return domain.Page[Row]{Items: rows}, nil
}

// halfTime returns a function that reports whether half of the time that ctx
// has left now is over.
func halfTime(ctx context.Context) func() bool {
	deadline, ok := ctx.Deadline()
	if !ok {
		return func() bool { return false }
	}
	half := time.Now().Add(time.Until(deadline) / 2)
	return func() bool { return time.Now().After(half) }
}
