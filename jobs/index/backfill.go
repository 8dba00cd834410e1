package index

import (
	"context"
	"time"

	"astrolabe/domain/chain"
)

// backfill is a backfill of this leader, from its first block to the end of its
// last index.
type backfill struct {
	from    uint64 // the first block that was missing
	started time.Time
	// announced is whether the log says that it has started.
	announced bool
}

// built is how many quarters of a block that has no indexes yet are done.
const built, quarters = 3, 4

// unseen returns the first block that readers cannot see yet.
func (t *turns) unseen() uint64 {
	if covered, some := t.at.Covered(); some {
		return covered + 1
	}
	return t.at.First
}

// farBehind reports whether so many blocks are missing that storing them is a
// backfill, also if they need no partition of their own.
func (t *turns) farBehind() bool { return t.head.Number >= t.unseen()+chain.FollowLag }

// beginBackfill remembers where a backfill begins, unless one is under way.
func (t *turns) beginBackfill() {
	if t.filling == nil {
		t.filling = &backfill{from: t.unseen(), started: time.Now()}
	}
}

// backfilled returns the progress of the backfill; nil if there is none.
func (t *turns) backfilled() *chain.Backfill {
	if t.filling == nil {
		return nil
	}
	visible, next := max(t.unseen(), t.filling.from), max(t.at.Next(), t.filling.from)
	progress := &chain.Backfill{From: t.filling.from, To: max(t.head.Number, max(next, t.filling.from+1)-1)}
	progress.Done = visible - t.filling.from
	if next > visible {
		progress.Done += (next - visible) * built / quarters
	}
	if progress.Done > 0 {
		rest := float64(progress.To-progress.From+1)/float64(progress.Done) - 1
		progress.Left = new(time.Duration(max(0, rest) * float64(time.Since(t.filling.started))).Round(time.Second))
	}
	return progress
}

// recordBackfill stores the progress of a backfill while there is one, and its end
// once.
func (t *turns) recordBackfill(ctx context.Context, state chain.IndexState) error {
	switch {
	case state == chain.Following:
		t.filling = nil
		if t.ended {
			return nil
		}
		t.ended = true
		t.Metrics.Backfill(string(t.Chain), 1)
		return t.Backfills.RecordBackfill(ctx, t.lease, nil)
	case t.filling == nil:
		return nil
	}
	t.ended = false
	progress := t.backfilled()
	t.Metrics.Backfill(string(t.Chain), progress.Share())
	return t.Backfills.RecordBackfill(ctx, t.lease, progress)
}
