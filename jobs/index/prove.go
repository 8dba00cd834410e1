package index

import (
	"context"
	"errors"
	"time"

	"astrolabe/domain/indexing"
)

// Prover completes the index with classes that were missing when a block named
// them: no upstream had a definition with their hash.
type Prover interface {
	// Prove asks the node again for some of the missing classes. Those that are
	// proven now are stored, with everything that follows from them. It returns
	// how many there are.
	Prove(ctx context.Context, lease indexing.Lease) (int, error)
}

// prove lets the prover ask for missing classes when it is time. Only the loss of
// the lease is an error: the index is as good without them as before.
func (t *turns) prove(ctx context.Context) error {
	if t.Prover == nil || !t.proving.due(time.Now()) {
		return nil
	}
	proven, err := t.Prover.Prove(ctx, t.lease)
	t.proving.asked(time.Now(), proven > 0)
	if proven > 0 || err != nil {
		t.forget() // it caches them as missing
	}
	if errors.Is(err, indexing.ErrLeaseLost) {
		return err
	}
	if err != nil {
		t.warn(ctx, "could not ask for missing classes again", err)
	}
	return nil
}

// The pauses between two questions about missing classes. Each fruitless
// question doubles the pause.
const (
	firstProof   = time.Minute
	longestProof = time.Hour
)

// schedule says when missing classes are asked for again: at the start, and then
// after pauses. The zero value is due.
type schedule struct {
	next  time.Time
	pause time.Duration
}

func (s *schedule) due(now time.Time) bool { return !now.Before(s.next) }

// asked plans the next question after one.
func (s *schedule) asked(now time.Time, fruitful bool) {
	if s.pause = min(2*s.pause, longestProof); fruitful || s.pause == 0 {
		s.pause = firstProof
	}
	s.next = now.Add(s.pause)
}

// reset shortens the pause after a new class is missing.
func (s *schedule) reset() {
	if s.pause > firstProof {
		s.next, s.pause = s.next.Add(firstProof-s.pause), firstProof
	}
}
