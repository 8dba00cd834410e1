package index

import (
	"context"
	"errors"
	"fmt"
	"math/bits"
	"time"

	"astrolabe/domain"
	"astrolabe/domain/chain"
	"astrolabe/domain/facts"
	"astrolabe/domain/indexing"
	"astrolabe/domain/integrity"
	"astrolabe/starknet"
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

// graceTime is how long blocks that the node was asked for may still come after a
// failure. The next turn uses them.
const graceTime = 5 * time.Second

// load stores blocks up to last in a partition, and stops early when a loading
// partition is full. It fetches, derives and writes concurrently. Blocks that
// were derived before an error are still written.
func (t *turns) load(ctx context.Context, r indexing.Range, last uint64) (full bool, err error) {
	if r.State == indexing.RangeLoading {
		t.beginBackfill()
	}
	t.progress = newProgress(t.Loop, r, t.at.Next(), t.head.Number)
	t.progress.share = func() float64 { return t.backfilled().Share() }
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

// write commits batches until there are no more. After an error it calls stop and
// takes the rest. While blocks come slowly for a rate limit, it records that.
func (t *turns) write(ctx context.Context, batches <-chan indexing.Batch, stop func()) (err error) {
	ticker := time.NewTicker(t.Sizes.RecordEvery)
	defer ticker.Stop()
	for {
		select {
		case batch, more := <-batches:
			if !more {
				return err
			}
			if err == nil {
				err = t.commit(ctx, batch)
			}
		case <-ticker.C:
			if err == nil && t.last.State != chain.RateLimited && t.Node.RateLimited() {
				err = t.record(ctx, chain.RateLimited, nil)
			}
		}
		if err != nil {
			stop()
		}
	}
}

// loading returns the state of an index that loads blocks.
func (t *turns) loading() chain.IndexState {
	if t.Node.RateLimited() {
		return chain.RateLimited
	}
	return chain.Backfilling
}

// derivation turns blocks of the node into batches.
type derivation struct {
	*turns
	parent *indexing.Parent // the previous block; nil if it is not stored
	into   indexing.Range
	last   uint64 // the last block to derive
	room   uint64 // events that fill a loading partition
	out    chan indexing.Batch
	batch  indexing.Batch
	held   int // events in the batch
}

// run sends batches until the last block, or until a loading partition is full.
func (d *derivation) run(ctx context.Context, queue <-chan chan fetched) (full bool, err error) {
	previous, total := d.at.Block, d.into.Events
	if d.parent, err = d.parentOf(ctx, previous); err != nil {
		return false, err
	}
	d.batch = indexing.Batch{After: previous, Range: d.into}
	for answer := range queue {
		got := <-answer
		block, err := d.next(ctx, got, previous)
		if err != nil {
			return false, errors.Join(d.flush(ctx), err)
		}
		previous = &domain.BlockRef{Number: block.Header.Number, Hash: block.Header.Hash}
		if got.block.Status == starknet.AcceptedOnL1 {
			d.batch.L1 = previous
		}
		d.batch.Blocks = append(d.batch.Blocks, block)
		d.held, total = d.held+len(block.Events), total+uint64(len(block.Events))
		full = d.into.State == indexing.RangeLoading && total >= d.room
		if full || d.held >= d.Sizes.BatchEvents || len(d.batch.Blocks) >= batchBlocks || previous.Number == d.last {
			if err := d.flush(ctx); err != nil || full {
				return full, err
			}
		}
	}
	return false, ctx.Err()
}

// flush sends the batch to the writer.
func (d *derivation) flush(ctx context.Context) error {
	if len(d.batch.Blocks) == 0 {
		return nil
	}
	last := d.batch.Blocks[len(d.batch.Blocks)-1].Header
	d.batch.Finalized = d.finalized(last.Number)
	select {
	case d.out <- d.batch:
	case <-ctx.Done():
		return ctx.Err()
	}
	d.batch, d.held = indexing.Batch{After: &domain.BlockRef{Number: last.Number, Hash: last.Hash}, Range: d.into}, 0
	return nil
}

// next checks that a block is the child of the previous one, and derives its
// facts.
func (d *derivation) next(ctx context.Context, got fetched, previous *domain.BlockRef) (facts.Block, error) {
	if got.err != nil {
		return facts.Block{}, got.err
	}
	if previous != nil && (got.block.BlockNumber != previous.Number+1 || got.block.ParentHash != previous.Hash) {
		return facts.Block{}, fmt.Errorf("%w: block %d has parent %s, but block %d is %s",
			errForked, got.block.BlockNumber, got.block.ParentHash, previous.Number, previous.Hash)
	}
	var before starknet.Felt // the state before the first block is empty
	if d.parent != nil {
		before = d.parent.StateRoot
	}
	if d.parent != nil || got.block.BlockNumber == 0 {
		if err := integrity.Continues(before, got.block.BlockNumber, got.update); err != nil {
			return facts.Block{}, blame(err, got.upstream)
		}
	}
	if err := d.follow(d.parent, got); err != nil {
		return facts.Block{}, err
	}
	d.parent = &indexing.Parent{StateRoot: got.block.NewRoot, Version: got.block.StarknetVersion, Verification: got.verdict.Level}
	return d.memory.facts(ctx, d.turns, got)
}

// parentOf returns what a stored block says about the next one; nil if there is
// no block.
func (t *turns) parentOf(ctx context.Context, block *domain.BlockRef) (*indexing.Parent, error) {
	if block == nil {
		return nil, nil
	}
	parent, held, err := t.Checkpoints.Parent(ctx, t.Chain, block.Number)
	if err == nil && !held {
		err = fmt.Errorf("block %d is missing from the index", block.Number)
	}
	return &parent, err
}

// commit stores a batch and advances the checkpoint in memory.
func (t *turns) commit(ctx context.Context, batch indexing.Batch) error {
	if err := t.Writer.Commit(ctx, t.lease, batch); err != nil {
		return err
	}
	last := &batch.Blocks[len(batch.Blocks)-1].Header
	t.absent = nil
	t.kept.stored(&batch)
	t.at.Block = &domain.BlockRef{Number: last.Number, Hash: last.Hash}
	if f := batch.Finalized; f != nil && (t.at.Finalized == nil || *f > *t.at.Finalized) {
		t.at.Finalized = f
	}
	if l1 := batch.L1; l1 != nil && (t.at.L1 == nil || l1.Number > t.at.L1.Number) {
		t.at.L1 = l1
	}
	events := 0
	for i := range batch.Blocks {
		events += len(batch.Blocks[i].Events)
	}
	open := &t.at.Ranges[len(t.at.Ranges)-1]
	before := open.Events
	open.Events += uint64(events)
	t.Metrics.IndexedBlock(string(t.Chain), last.Number)
	t.progress.add(len(batch.Blocks), events)
	if open.State == indexing.RangeReady {
		return t.analyze(ctx, *open, before)
	}
	if time.Since(t.recorded) < t.Sizes.RecordEvery {
		return nil
	}
	t.recorded = time.Now()
	if head, err := t.ask(ctx); err == nil { // the head advances during a backfill
		t.head = head
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
