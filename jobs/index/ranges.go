package index

import (
	"context"

	"astrolabe/domain/indexing"
)

// The width of a range at the tip, in blocks, when nothing is known of how
// full blocks are, and its bounds.
const (
	usualWidth = 100_000
	leastWidth = 1_000
	mostWidth  = 2_000_000
)

// share is the part of the whole chain that a new range may hold. The plan of
// a query looks at each range, so there must not be many: with a sixth there are
// about 19 at a hundred million events, and 33 at a billion.
const share = 6

// open returns the range that the next block goes to, and makes one when
// there is none: one to be loaded when much final history is missing, else
// one for the tip.
func (t *turns) open(ctx context.Context) (indexing.Range, error) {
	if r := t.at.Open(); r != nil {
		return *r, nil
	}
	next := t.at.Next()
	r := indexing.Range{From: next, To: next + t.width(), State: indexing.RangeReady}
	if settled := t.settled(); settled >= next && settled-next+1 >= t.Sizes.Bulk {
		r.To, r.State = 0, indexing.RangeLoading
	}
	if err := t.Writer.OpenRange(ctx, t.lease, r); err != nil {
		return indexing.Range{}, err
	}
	t.at.Ranges = append(t.at.Ranges, r)
	return r, nil
}

// settled returns the newest block that is deep enough below the node's head
// to be loaded without a way back; zero when there is none.
func (t *turns) settled() uint64 {
	if t.head.Number < t.Depth {
		return 0
	}
	return t.head.Number - t.Depth
}

// seal ends a loading range at the next block and makes it ready.
func (t *turns) seal(ctx context.Context, r indexing.Range) error {
	r.To = t.at.Next()
	if err := t.Writer.SealRange(ctx, t.lease, r); err != nil {
		return err
	}
	if err := t.reload(ctx); err != nil {
		return err
	}
	return t.build(ctx)
}

// build makes sealed ranges ready.
func (t *turns) build(ctx context.Context) error {
	for _, r := range t.at.Ranges {
		if r.State != indexing.RangeIndexing {
			continue
		}
		t.Logger.Info("building the indexes of a partition", "chain", t.Chain, "from", r.From, "to", r.To-1, "events", r.Events)
		if err := t.Writer.BuildRange(ctx, t.lease, r); err != nil {
			return err
		}
		if err := t.reload(ctx); err != nil {
			return err
		}
	}
	return nil
}

// events returns how many events the index holds.
func (t *turns) events() (total uint64) {
	for _, r := range t.at.Ranges {
		total += r.Events
	}
	return total
}

// rangeEvents is how many events make a range full. It grows with the chain.
func (t *turns) rangeEvents() uint64 {
	return max(t.Sizes.RangeEvents, t.events()/share)
}

// width is how many blocks a range at the tip spans, so that it holds about as
// many events as the others.
func (t *turns) width() uint64 {
	blocks, events := t.at.Next()-t.at.First, t.events()
	if events == 0 {
		return usualWidth
	}
	return max(leastWidth, min(mostWidth, t.rangeEvents()*blocks/events))
}
