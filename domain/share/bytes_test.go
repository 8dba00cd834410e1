package share

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
)

func TestHolderTakesAtMostItsShare(t *testing.T) {
	t.Parallel()
	b := New(10, 6)
	if !b.Try("a", 6) || b.Try("a", 1) {
		t.Error("got another share than 6 bytes for one holder, want 6")
	}
	if b.Try("b", 5) || !b.Try("b", 4) {
		t.Error("got other bytes than the 4 that are left, want 4")
	}
	b.Change("a", 3) // turned out to be larger
	b.Change("a", -9)
	b.Change("b", -4)
	if b.Used() != 0 || len(b.held) != 0 {
		t.Errorf("got %d bytes of %d holders at the end, want none", b.Used(), len(b.held))
	}
}

func TestWaitTakesBytesOnceTheyAreLeft(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := New(10, 10)
		b.Try("a", 10)
		taken := make(chan error, 1)
		go func() { taken <- b.Wait(t.Context(), "b", 4) }()
		synctest.Wait()
		if len(taken) != 0 {
			t.Fatal("got bytes that another holds, want to wait")
		}
		b.Change("a", -4)
		if err := <-taken; err != nil {
			t.Errorf("got %v, want the bytes", err)
		}
		gone := errors.New("the client has left")
		ctx, cancel := context.WithCancelCause(t.Context())
		go func() { taken <- b.Wait(ctx, "c", 1) }()
		synctest.Wait()
		cancel(gone)
		if err := <-taken; !errors.Is(err, gone) || b.Used() != 10 {
			t.Errorf("got %v and %d bytes held, want %v and 10", err, b.Used(), gone)
		}
	})
}
