package index

import (
	"context"

	"astrolabe/domain/chain"
	"astrolabe/domain/indexing"
)

// The width in blocks of a partition near the head: the default while the
// number of events per block is unknown, and the limits.
const (
	usualWidth = 100_000
	leastWidth = 1_000
	mostWidth  = 2_000_000
)

// share is the fraction of the whole chain that a new partition may hold, as
// 1/share. The planner considers each partition, so there must not be many:
// with 1/6 there are about 19 at a hundred million events, and 33 at a billion.
const share = 6

// open returns the partition of the next block and creates it if necessary: a
// loading one if many finalized blocks are missing, otherwise one near the
// head.
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

// settled returns the newest block that is deep enough below the head to be
// loaded without the possibility of undo; zero if there is none.
func (t *turns) settled() uint64 {
	if t.head.Number < t.Depth {
		return 0
	}
	return t.head.Number - t.Depth
}

// seal ends a loading partition at the next block and makes it ready.
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

// build makes sealed partitions ready.
func (t *turns) build(ctx context.Context) error {
	for _, r := range t.at.Ranges {
		if r.State != indexing.RangeIndexing {
			continue
		}
		t.beginBackfill()
		if err := t.record(ctx, chain.Backfilling, nil); err != nil {
			return err
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

// events returns the number of indexed events.
func (t *turns) events() (total uint64) {
	for _, r := range t.at.Ranges {
		total += r.Events
	}
	return total
}

// rangeEvents is the number of events that fill a partition. It grows with the
// chain.
func (t *turns) rangeEvents() uint64 {
	return max(t.Sizes.RangeEvents, t.events()/share)
}

// width is the number of blocks in a partition near the head, chosen so that it
// holds about as many events as the others.
func (t *turns) width() uint64 {
	blocks, events := t.at.Next()-t.at.First, t.events()
	if events == 0 {
		return usualWidth
	}
	return max(leastWidth, min(mostWidth, t.rangeEvents()*blocks/events))
}
