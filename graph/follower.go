package graph

import (
	"context"
	"fmt"
	"time"

	"astrolabe/domain"
	"astrolabe/domain/chain"
)

// follower tells one subscriber what comes after the place where it stands.
// That place is all that it keeps: it looks for the next message when the
// subscriber has taken the one before.
type follower[T any, M telling[T]] struct {
	h    *Handler
	tips *tips
	list *listing
	read source[T]
	at   standing
	out  chan *T // with room for one message
	drop func(*dropped)

	begun  bool     // the subscriber knows where the stream begins
	batch  found[T] // what is told next
	told   int      // items of the batch
	live   bool     // it has caught up once
	handed uint64   // the tip at which the subscriber was handed a message
	owed   uint64   // tips that passed while it had messages to take
}

// source reads what a stream tells from a position on, up to the tip.
type source[T any] func(ctx context.Context, t *tip, from domain.Position) (found[T], error)

// found is a batch of what a stream tells.
type found[T any] struct {
	domain.Batch[*T]
	at func(item int) domain.Position
	// sure says that the items are the tip's own. Others were read after it,
	// and may be of another chain.
	sure bool
}

const (
	// batchSize is how many items are read at once for a subscriber, and their
	// edges with them.
	batchSize = 25
	// maxReading is how many reads go on at once for all subscribers: one
	// block is news for each of them, and all of them together must not crowd
	// out requests.
	maxReading = 4
	// maxFailures is how many reads in a row may fail before a stream ends.
	maxFailures = 10
)

// followFrom begins a stream, whose positions have so many fields. It tells what
// follows the cursor after or, without one, what comes from a block on, which
// is the awaited one where none is given.
func followFrom[T any, M telling[T]](ctx context.Context, p part, after *string, from *uint64, fields int, read source[T]) (<-chan *T, error) {
	l, err := p.h.list(ctx, "", nil, after)
	if err != nil {
		return nil, err
	}
	tips := p.h.tips[p.chain]
	t, err := tips.join(ctx)
	if err != nil {
		return nil, err
	}
	context.AfterFunc(ctx, tips.leave)
	at, err := t.standing(l.request.After, from, fields)
	if err == nil {
		err = recent(at, t, p.h.Limits.ResumeBlocks)
	}
	if err != nil {
		return nil, err
	}
	up := upstreamOf(ctx)
	f := &follower[T, M]{h: p.h, tips: tips, list: l, read: read, at: at, out: make(chan *T, 1), drop: up.dropped.Store, begun: after != nil, handed: t.serial}
	up.pull = f.pull
	return f.out, nil
}

// standing is where a stream begins.
func (t *tip) standing(after domain.Position, from *uint64, fields int) (standing, error) {
	switch {
	case after == nil && from == nil:
		return standing{t.fork, blockStart(t.next, fields)}, nil
	case after == nil:
		return standing{t.fork, blockStart(*from, fields)}, nil
	}
	at := standing{after[0], after[1:]}
	if len(at.from) != fields || !at.from.Fits() {
		return at, domain.InvalidCursor("it is of another release")
	}
	return at, nil
}

// recent refuses a stream that would begin too far behind the newest block.
func recent(at standing, t *tip, limit int) error {
	if t.next <= at.from[0]+uint64(limit) {
		return nil
	}
	return passed(domain.CodeInvalidRequest, limitResume, limit, int(t.next-at.from[0]), //nolint:gosec // Blocks are fewer.
		fmt.Sprintf("the stream would begin further behind the newest block than the limit %s of %d: list what lies there, and follow from then on", limitResume, limit))
}

// pull waits for the next message and lays it ready. The stream ends with ctx,
// or when the subscriber is dropped.
func (f *follower[T, M]) pull(ctx context.Context) {
	message, reason := f.next(ctx)
	switch {
	case message != nil:
		f.out <- message
	case reason != nil:
		f.drop(reason)
		close(f.out)
	}
}

// next returns the next message, or why there will be none; neither when ctx
// has ended.
func (f *follower[T, M]) next(ctx context.Context) (*T, *dropped) {
	if f.fallsBehind() {
		f.h.slow.Add(1)
		return nil, slowConsumer()
	}
	for failures := 0; ; {
		if f.told < len(f.batch.Items) {
			return f.item(), nil
		}
		t := f.tips.now()
		if t == nil || ctx.Err() != nil {
			return nil, nil //nolint:nilerr // who has left is told nothing
		}
		f.handed = t.serial
		undone, upToDate, err := f.advance(ctx, t)
		switch {
		case ctx.Err() != nil:
			return nil, nil //nolint:nilerr // who has left is told nothing
		case undone != nil || !f.begun:
			f.begun = true
			return f.message(new(T), undone), nil
		case err != nil && failures == maxFailures:
			return nil, unreadable(err)
		case err != nil:
			failures++
			pause(ctx, f.h.PollEvery)
		case upToDate:
			f.live, f.owed, failures = true, 0, 0
			await(ctx, t)
		}
	}
}

// fallsBehind tells whether too many tips have passed since the subscriber was
// handed a message and, once it had caught up, since it last did.
func (f *follower[T, M]) fallsBehind() bool {
	t := f.tips.now()
	if t == nil {
		return false
	}
	waited := t.serial - f.handed
	if f.live {
		waited += f.owed
	}
	f.handed, f.owed = t.serial, waited
	return waited > maxUnread
}

// item returns the next item of the batch, which is let go with its last one.
func (f *follower[T, M]) item() *T {
	item, next := f.batch.Items[f.told], f.batch.Next
	if f.told++; f.told < len(f.batch.Items) {
		next = f.batch.at(f.told - 1).Following()
	} else {
		f.batch, f.told = found[T]{}, 0
	}
	f.at.from = next
	return f.message(item, nil)
}

func (f *follower[T, M]) message(m *T, undone *Reorg) *T {
	M(m).tell(news{list: f.list, at: f.at, Reorg: undone})
	return m
}

// advance reads what lies between the subscriber and a tip, or a part of it:
// blocks that were undone, or else a batch.
func (f *follower[T, M]) advance(ctx context.Context, t *tip) (undone *Reorg, upToDate bool, err error) {
	if !f.begun {
		return nil, false, nil
	}
	if f.at.fork > t.fork { // which another process has told of already
		f.tips.tell()
		return nil, true, nil
	}
	fork, known := t.forkAfter(f.at.fork)
	if !known {
		fork, err = f.forkAfter(ctx)
	}
	if err != nil || fork != nil {
		return f.at.undo(fork), false, err
	}
	if f.at.from[0] >= t.next {
		return nil, true, nil
	}
	batch, err := f.read(ctx, t, f.at.from)
	if err != nil {
		return nil, false, err
	}
	if len(batch.Items) > 0 {
		if !batch.sure {
			fork, err = f.forkAfter(ctx)
		}
		if err != nil || fork != nil {
			return f.at.undo(fork), false, err
		}
		f.batch = batch
		return nil, false, nil
	}
	f.at.from = batch.Next
	return nil, false, nil
}

// forkAfter asks for the forks after the one that the subscriber knows of.
func (f *follower[T, M]) forkAfter(ctx context.Context) (fork *chain.Fork, err error) {
	err = f.h.reads(ctx, func(ctx context.Context) error {
		fork, err = f.tips.blocks.ForkAfter(ctx, f.tips.chain, f.at.fork)
		return err
	})
	return fork, err
}

// await waits until there is a newer tip.
func await(ctx context.Context, t *tip) {
	select {
	case <-t.passed:
	case <-ctx.Done():
	}
}

// reads does a read of a subscriber in its turn and in bounded time.
func (h *Handler) reads(ctx context.Context, read func(context.Context) error) error {
	select {
	case h.reading <- struct{}{}:
		defer func() { <-h.reading }()
	case <-ctx.Done():
		return ctx.Err()
	}
	reading, done := context.WithTimeout(ctx, h.Budget)
	defer done()
	return read(reading)
}

// pause waits for a while.
func pause(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}
