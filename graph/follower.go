package graph

import (
	"context"
	"errors"
	"fmt"
	"time"

	"astrolabe/domain"
	"astrolabe/domain/chain"
)

// follower tells one subscriber what comes after the place where it stands.
// That place is all that it keeps: what the subscriber has not taken yet is
// read again, or is the chain's to keep.
type follower[T any, M telling[T]] struct {
	h    *Handler
	tips *tips
	list *listing
	read source[T]
	at   standing
	out  chan *T
	drop func(*dropped)

	live bool   // it has caught up once
	owed uint64 // tips that passed while the subscriber let messages wait
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
	f := &follower[T, M]{h: p.h, tips: tips, list: l, read: read, out: make(chan *T), drop: endingOf(ctx).Store}
	if f.at, err = t.standing(l.request.After, from, fields); err == nil {
		err = recent(f.at, t, p.h.Limits.ResumeBlocks)
	}
	if err != nil {
		tips.leave()
		return nil, err
	}
	tips.watching.Go(func() { f.run(ctx, t, after == nil) })
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

// run tells what comes until ctx ends or the subscriber is dropped.
func (f *follower[T, M]) run(ctx context.Context, t *tip, introduce bool) {
	defer f.tips.leave()
	defer close(f.out)
	if introduce && !f.send(ctx, new(T), nil) {
		return
	}
	for failures := 0; ; t = f.tips.now() {
		upToDate, err := f.advance(ctx, t)
		switch {
		case ctx.Err() != nil || errors.Is(err, errDropped):
			return
		case err == nil:
			failures = 0
		case failures == maxFailures:
			f.drop(unreadable(err))
			return
		default:
			failures++
			if !pause(ctx, f.h.PollEvery) {
				return
			}
			continue
		}
		if !upToDate {
			continue
		}
		f.live, f.owed = true, 0
		select {
		case <-t.passed:
		case <-ctx.Done():
			return
		}
	}
}

// advance tells what lies between the subscriber and a tip, or a part of it.
func (f *follower[T, M]) advance(ctx context.Context, t *tip) (upToDate bool, err error) {
	if f.at.fork > t.fork { // which another process has told of already
		f.tips.tell()
		return true, nil
	}
	fork, known := t.forkAfter(f.at.fork)
	if !known {
		fork, err = f.forkAfter(ctx)
	}
	if err == nil && fork != nil {
		err = f.turnBack(ctx, *fork)
	}
	if err != nil {
		return false, err
	}
	batch, err := f.read(ctx, t, f.at.from)
	if err != nil {
		return false, err
	}
	if !batch.sure && len(batch.Items) > 0 {
		fork, err := f.forkAfter(ctx)
		if err == nil && fork != nil {
			err = f.turnBack(ctx, *fork)
		}
		if err != nil || fork != nil {
			return false, err
		}
	}
	for i, item := range batch.Items {
		f.at.from = batch.at(i).Following()
		if !f.send(ctx, item, nil) {
			return false, errDropped
		}
	}
	f.at.from = batch.Next
	return f.at.from[0] >= t.next, nil
}

// forkAfter asks for the forks after the one that the subscriber knows of.
func (f *follower[T, M]) forkAfter(ctx context.Context) (fork *chain.Fork, err error) {
	err = f.h.reads(ctx, func(ctx context.Context) error {
		fork, err = f.tips.blocks.ForkAfter(ctx, f.tips.chain, f.at.fork)
		return err
	})
	return fork, err
}

// turnBack goes back to where the chain forked, and says so if the subscriber
// is beyond.
func (f *follower[T, M]) turnBack(ctx context.Context, fork chain.Fork) error {
	f.at.fork = fork.Number
	undone, concerns := f.at.undo(fork)
	if concerns && !f.send(ctx, new(T), undone) {
		return errDropped
	}
	return nil
}

// errDropped means that the stream has ended.
var errDropped = errors.New("the subscriber is gone")

// send hands over one message, false when the stream has ended. A subscriber
// that lets messages wait while maxUnread tips pass, before it has caught up
// again, is dropped; one that still catches up for the first time may take
// that long for each message.
func (f *follower[T, M]) send(ctx context.Context, message *T, undone *Reorg) bool {
	M(message).tell(news{list: f.list, at: f.at, Reorg: undone})
	for t := f.tips.now(); f.owed <= maxUnread; {
		select {
		case f.out <- message:
			if !f.live {
				f.owed = 0
			}
			return true
		case <-t.passed:
			newer := f.tips.now()
			f.owed += newer.serial - t.serial
			t = newer
		case <-ctx.Done():
			return false
		}
	}
	f.h.slow.Add(1)
	f.drop(slowConsumer())
	return false
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

func pause(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}
