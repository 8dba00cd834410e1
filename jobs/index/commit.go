package index

import (
	"context"
	"math/bits"
	"time"

	"astrolabe/domain"
	"astrolabe/domain/indexing"
)

// commit stores a batch with one context, and with the other refreshes what
// follows from it.
func (t *turns) commit(ctx, committing context.Context, batch indexing.Batch) error {
	if err := t.Writer.Commit(committing, t.lease, batch); err != nil {
		return err
	}
	t.advanced(&batch)
	r := t.at.Ranges[len(t.at.Ranges)-1]
	if r.State == indexing.RangeReady {
		if err := t.analyze(ctx, r, r.Events-eventsIn(&batch)); err != nil {
			return unlessEnded(ctx, err)
		}
	}
	if time.Since(t.refreshed) < t.Sizes.RecordEvery {
		return nil
	}
	return unlessEnded(ctx, t.refresh(ctx))
}

// advanced advances the checkpoint in memory past a batch that was stored.
func (t *turns) advanced(batch *indexing.Batch) {
	last := &batch.Blocks[len(batch.Blocks)-1].Header
	t.absent = nil
	t.kept.stored(batch)
	t.at.Block = &domain.BlockRef{Number: last.Number, Hash: last.Hash}
	if f := batch.Finalized; f != nil && (t.at.Finalized == nil || *f > *t.at.Finalized) {
		t.at.Finalized = f
	}
	if l1 := batch.L1; l1 != nil && (t.at.L1 == nil || l1.Number > t.at.L1.Number) {
		t.at.L1 = l1
	}
	t.at.Ranges[len(t.at.Ranges)-1].Events += eventsIn(batch)
	t.Metrics.IndexedBlock(string(t.Chain), last.Number)
	t.progress.add(len(batch.Blocks), int(eventsIn(batch)))
}

// eventsIn returns the number of events in a batch.
func eventsIn(batch *indexing.Batch) (n uint64) {
	for i := range batch.Blocks {
		n += uint64(len(batch.Blocks[i].Events))
	}
	return n
}

// refresh reads the head of the node and the acceptance on L1, which advance during
// a long turn, and records them with the progress.
func (t *turns) refresh(ctx context.Context) error {
	t.refreshed = time.Now()
	if head, err := t.ask(ctx); err == nil {
		t.head = head
		t.Metrics.HeadBlock(string(t.Chain), head.Number)
	}
	if err := t.accept(ctx); err != nil {
		return err
	}
	return t.record(ctx, t.loading(), nil)
}

// analyze refreshes the planner statistics of the newest partition whenever its
// number of events has doubled.
func (t *turns) analyze(ctx context.Context, r indexing.Range, before uint64) error {
	if r.Events < leastAnalyzed || bits.Len64(before) == bits.Len64(r.Events) {
		return nil
	}
	return t.Writer.AnalyzeRange(ctx, t.lease, r)
}

// leastAnalyzed is the number of events from which statistics matter.
const leastAnalyzed = 1000

// finalized returns the newest finalized block when number is the newest
// indexed one.
func (t *turns) finalized(number uint64) *uint64 {
	if number < t.at.First+t.Depth {
		return nil
	}
	return new(number - t.Depth)
}
