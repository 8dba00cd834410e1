package live

import (
	"context"
	"fmt"
	"time"

	"astrolabe/domain"
	"astrolabe/domain/chain"
	"astrolabe/graph/fault"
	"astrolabe/graph/limits"
)

const (
	// BatchSize is how many items a source reads at once for a subscriber; the
	// edges of a batch are read together.
	BatchSize = 25
	// MaxUnread is how many tips may pass, or events of a feed may wait, before
	// a subscriber that does not read is dropped.
	MaxUnread = 16
	// maxFailures is how many reads in a row may fail before a stream ends.
	maxFailures = 10
	// retryStream is when a client may come back for a stream.
	retryStream = 5 * time.Second
)

// Subscription is where a stream begins and how it writes cursors.
type Subscription struct {
	Chain  domain.Chain
	Fields int             // of a position in the stream
	After  domain.Position // of the cursor that the client passed, nil without one
	From   *uint64         // the first block, nil for the awaited one
	Cursor func(domain.Position) string
}

// Subscriber is where a stream's items come from and where its messages go.
type Subscriber struct {
	// Read reads what the stream sends from a position on, up to the tip.
	Read Source
	// Send hands over a message with an item of a batch, or with nil for one
	// that has none. It returns when the subscriber has taken the message or
	// has left.
	Send func(m Message, item any)
	// Close is called once, after the last message.
	Close func()
}

// Source reads what a stream sends from a position on, up to the tip.
type Source func(ctx context.Context, t *Tip, from domain.Position) (Batch, error)

// Batch is what a source has read.
type Batch struct {
	domain.Batch[any]
	At func(item int) domain.Position
	// OfTip says that the items come from the tip itself. Others were read
	// after it, and a reorg may have replaced them since.
	OfTip bool
}

// follower sends one subscriber what comes after its place. The place is all
// that it keeps: it reads the next batch when the subscriber has taken the one
// before.
type follower struct {
	Subscriber
	hub    *Hub
	tips   *tips
	cursor func(domain.Position) string
	at     place

	begun  bool   // the subscriber knows where the stream begins
	batch  Batch  // what is sent next
	sent   int    // items of the batch
	live   bool   // it has caught up once
	handed uint64 // the tip at which the subscriber took a message
	owed   uint64 // tips that passed while messages were waiting
}

// Follow begins a stream: what follows the cursor or, without one, what comes
// from a block on. The subscriber is closed when ctx ends or when the server
// ends the stream; then the context's Ending says why.
func (h *Hub) Follow(ctx context.Context, s Subscription, to Subscriber) error {
	tips := h.tips[s.Chain]
	t, err := tips.join(ctx)
	if err != nil {
		return err
	}
	context.AfterFunc(ctx, tips.leave)
	at, err := t.place(s)
	if err == nil {
		err = recent(at, t, h.ResumeBlocks)
	}
	if err != nil {
		return err
	}
	f := &follower{Subscriber: to, hub: h, tips: tips, cursor: s.Cursor, at: at, begun: s.After != nil, handed: t.serial}
	go f.run(ctx)
	return nil
}

// place is where a stream begins.
func (t *Tip) place(s Subscription) (place, error) {
	switch {
	case s.After == nil && s.From == nil:
		return place{t.fork, blockStart(t.next, s.Fields)}, nil
	case s.After == nil:
		return place{t.fork, blockStart(*s.From, s.Fields)}, nil
	}
	at := place{s.After[0], s.After[1:]}
	if len(at.from) != s.Fields || !at.from.Fits() {
		return at, domain.InvalidCursor("The cursor was issued by an incompatible release.")
	}
	return at, nil
}

// recent refuses a stream that would begin too far behind the head.
func recent(at place, t *Tip, limit int) error {
	if t.next <= at.from[0]+uint64(limit) {
		return nil
	}
	behind := int(t.next - at.from[0]) //nolint:gosec // Blocks are fewer.
	return limits.Exceed(domain.CodeInvalidRequest, limits.Resume, limit, behind, fmt.Sprintf(
		"The subscription would begin %d blocks behind the head; the limit is %d (%s). List the older blocks, then subscribe from there.", behind, limit, limits.Resume))
}

// run sends messages until ctx ends or the stream does.
func (f *follower) run(ctx context.Context) {
	defer f.Close()
	for {
		message, item, reason := f.next(ctx)
		if reason != nil {
			end(ctx, reason)
		}
		if message == nil || ctx.Err() != nil {
			return
		}
		f.Send(*message, item)
	}
}

// next returns the next message, or why there will be none; neither when ctx
// has ended.
func (f *follower) next(ctx context.Context) (m *Message, item any, ended *fault.Ended) {
	if f.fallsBehind() {
		f.hub.slow.Add(1)
		return nil, nil, fault.SlowConsumer()
	}
	for failures := 0; ; {
		if f.sent < len(f.batch.Items) {
			m, item = f.item()
			return m, item, nil
		}
		t := f.tips.current()
		if t == nil || ctx.Err() != nil {
			return nil, nil, nil //nolint:nilerr // the subscriber has left
		}
		f.handed = t.serial
		undone, upToDate, err := f.advance(ctx, t)
		switch {
		case ctx.Err() != nil:
			return nil, nil, nil //nolint:nilerr // the subscriber has left
		case undone != nil || !f.begun:
			f.begun = true
			return f.message(undone), nil, nil
		case err != nil && failures == maxFailures:
			return nil, nil, fault.Unreadable(err, retryStream)
		case err != nil:
			failures++
			pause(ctx, f.hub.PollEvery)
		case upToDate:
			f.live, f.owed, failures = true, 0, 0
			await(ctx, t)
		}
	}
}

// fallsBehind reports whether too many tips have passed since the subscriber
// took a message and, once it had caught up, since it last did.
func (f *follower) fallsBehind() bool {
	t := f.tips.current()
	if t == nil {
		return false
	}
	waited := t.serial - f.handed
	if f.live {
		waited += f.owed
	}
	f.handed, f.owed = t.serial, waited
	return waited > MaxUnread
}

// item returns the next item of the batch with its message.
func (f *follower) item() (*Message, any) {
	item, next := f.batch.Items[f.sent], f.batch.Next
	if f.sent++; f.sent < len(f.batch.Items) {
		next = f.batch.At(f.sent - 1).Following()
	} else {
		f.batch, f.sent = Batch{}, 0
	}
	f.at.from = next
	return f.message(nil), item
}

func (f *follower) message(undone *Reorg) *Message {
	return &Message{cursor: f.cursor, at: f.at, Reorg: undone}
}

// advance reads what lies between the subscriber and a tip, or some of it:
// blocks that were undone, or else a batch.
func (f *follower) advance(ctx context.Context, t *Tip) (undone *Reorg, upToDate bool, err error) {
	if !f.begun {
		return nil, false, nil
	}
	if f.at.fork > t.fork { // another process reported it; this one has yet to read it
		f.tips.notify()
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
	batch, err := f.Read(ctx, t, f.at.from)
	if err != nil {
		return nil, false, err
	}
	if len(batch.Items) == 0 {
		f.at.from = batch.Next
		return nil, false, nil
	}
	if !batch.OfTip {
		fork, err = f.forkAfter(ctx)
	}
	if err != nil || fork != nil {
		return f.at.undo(fork), false, err
	}
	f.batch = batch
	return nil, false, nil
}

// forkAfter reads the forks after the one that the subscriber knows.
func (f *follower) forkAfter(ctx context.Context) (fork *chain.Fork, err error) {
	err = f.hub.Read(ctx, func(ctx context.Context) error {
		fork, err = f.tips.blocks.ForkAfter(ctx, f.tips.chain, f.at.fork)
		return err
	})
	return fork, err
}

// await waits for a newer tip.
func await(ctx context.Context, t *Tip) {
	select {
	case <-t.passed:
	case <-ctx.Done():
	}
}

func pause(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}
