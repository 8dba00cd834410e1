package index

import (
	"context"
	"errors"
	"time"

	"astrolabe/domain/chain"
	"astrolabe/domain/indexing"
)

// errAbsent means that the node does not have a block below its own head: the
// chain is being reorganised.
var errAbsent = errors.New("the node does not have this block")

// batchBlocks limits the blocks per transaction.
const batchBlocks = 1000

// advance stores the next blocks, up to the end of a partition or the head of
// the node.
func (t *turns) advance(ctx context.Context) error {
	r, err := t.open(ctx)
	if err != nil {
		return err
	}
	last := t.head.Number
	if r.State == indexing.RangeLoading {
		last = max(t.settled(), t.at.Next())
		if t.at.Next() > r.From && t.settled() < t.at.Next() {
			return t.seal(ctx, r)
		}
	} else {
		last = min(last, r.To-1)
	}
	full, err := t.load(ctx, r, last)
	if err != nil {
		return err
	}
	if r.State == indexing.RangeLoading && (full || t.settled() < t.at.Next()) {
		return t.seal(ctx, r)
	}
	return nil
}

const (
	// graceTime is how long blocks that the node was asked for may still come after
	// a failure. The next turn uses them.
	graceTime = 5 * time.Second
	// stopTime is how long derived blocks may still be written after a stop.
	stopTime = 5 * time.Second
)

// load stores blocks up to last in a partition, and stops early when a loading
// partition is full. It fetches, derives and writes concurrently. Blocks that
// were derived before an error or before ctx ended are still written.
func (t *turns) load(ctx context.Context, r indexing.Range, last uint64) (full bool, err error) {
	if r.State == indexing.RangeLoading || t.farBehind() {
		t.beginBackfill()
		if err := t.recordLoading(ctx); err != nil {
			return false, err
		}
	}
	var backfill func() *chain.Backfill
	if t.filling != nil {
		backfill = t.backfilled
	}
	t.progress = newProgress(t.Loop, backfill, t.at.Next(), t.head.Number)
	deriving, stop := context.WithCancel(ctx)
	reading, cancel := context.WithCancel(ctx)
	queue, wait := t.fetch(deriving, reading, t.at.Next(), last)
	defer func() {
		stop()
		late := time.AfterFunc(graceTime, cancel)
		wait()
		late.Stop()
		cancel()
		t.progress.end()
	}()

	d := &derivation{turns: t, into: r, last: last, room: t.rangeEvents(), out: make(chan indexing.Batch)}
	written := make(chan error, 1)
	go func() { written <- t.write(ctx, d.out, stop) }()
	full, err = d.run(deriving, queue)
	close(d.out)
	if failure := <-written; failure != nil {
		return false, failure
	}
	return full, err
}

// write commits batches until there are no more, for a limited time after ctx has
// ended. After an error it calls stop and takes the rest. While blocks come slowly
// for a rate limit, it records that.
func (t *turns) write(ctx context.Context, batches <-chan indexing.Batch, stop func()) (err error) {
	committing, cancel := outlasting(ctx, stopTime)
	defer cancel()
	ticker := time.NewTicker(t.Sizes.RecordEvery)
	defer ticker.Stop()
	for {
		select {
		case batch, more := <-batches:
			if !more {
				return err
			}
			if err == nil {
				err = t.commit(ctx, committing, batch)
			}
		case <-ticker.C:
			if err == nil && t.last.State != chain.RateLimited && t.Node.RateLimited() {
				err = unlessEnded(ctx, t.record(ctx, chain.RateLimited, nil))
			}
		}
		if err != nil {
			stop()
		}
	}
}

// unlessEnded drops an error after the end of ctx, which may be its cause: what
// is derived can still be committed.
func unlessEnded(ctx context.Context, err error) error {
	if ctx.Err() == nil {
		return err
	}
	return nil
}

// outlasting returns a context that ends a while after ctx.
func outlasting(ctx context.Context, while time.Duration) (context.Context, context.CancelFunc) {
	longer, cancel := context.WithCancel(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, func() { time.AfterFunc(while, cancel) })
	return longer, func() { stop(); cancel() }
}

// recordLoading records that the index loads blocks, unless that is recorded.
func (t *turns) recordLoading(ctx context.Context) error {
	if t.last.State == t.loading() {
		return nil
	}
	return t.record(ctx, t.loading(), nil)
}

// loading returns the state of an index that stores blocks.
func (t *turns) loading() chain.IndexState {
	switch {
	case t.Node.RateLimited():
		return chain.RateLimited
	case t.filling == nil:
		return chain.Following
	}
	return chain.Backfilling
}
