package queue

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
)

var errEnd = errors.New("the end")

func TestItemsAreTakenInTheirOrder(t *testing.T) {
	t.Parallel()
	q := New[int](3, 100)
	for i := range 3 {
		if !q.TryPut(i, 1) {
			t.Fatalf("item %d: got a full queue, want room for three", i)
		}
	}
	q.Close(errEnd)
	for want := range 3 {
		if got, err := q.Take(t.Context()); got != want || err != nil {
			t.Errorf("got %d and %v, want %d", got, err, want)
		}
	}
	if _, err := q.Take(t.Context()); !errors.Is(err, errEnd) {
		t.Errorf("an empty closed queue: got %v, want %v", err, errEnd)
	}
	if q.TryPut(1, 1) || !errors.Is(q.Put(t.Context(), 1, 1), errEnd) {
		t.Error("got an item into a closed queue, want none")
	}
}

func TestQueueIsFullAtItsItemsOrBytes(t *testing.T) {
	t.Parallel()
	items, bytes := New[int](2, 100), New[int](100, 10)
	for i := range 2 {
		if !items.TryPut(i, 1) || !bytes.TryPut(i, 9) {
			t.Fatalf("item %d: got a full queue, want room", i)
		}
	}
	if items.TryPut(2, 1) || bytes.TryPut(2, 1) {
		t.Error("got room beyond the limit, want none")
	}
	if large := New[int](10, 10); !large.TryPut(1, 1000) {
		t.Error("got no room for a large item in an empty queue, want some")
	}
}

func TestPutWaitsForRoomAndTakeForAnItem(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		q := New[int](1, 100)
		put := make(chan error, 3)
		for i := range 3 {
			go func() { put <- q.Put(t.Context(), i, 1) }()
		}
		synctest.Wait()
		if len(put) != 1 {
			t.Fatalf("got %d items into a queue of one, want 1", len(put))
		}
		for range 3 {
			if _, err := q.Take(t.Context()); err != nil {
				t.Errorf("got %v, want an item", err)
			}
			synctest.Wait()
		}
		ctx, cancel := context.WithCancelCause(t.Context())
		taken := make(chan error)
		go func() { _, err := q.Take(ctx); taken <- err }()
		synctest.Wait()
		cancel(errEnd)
		if err := <-taken; !errors.Is(err, errEnd) {
			t.Errorf("got %v, want the cause %v", err, errEnd)
		}
	})
}

func TestAbortDiscardsTheItems(t *testing.T) {
	t.Parallel()
	q := New[int](3, 100)
	q.TryPut(1, 1)
	q.Abort(errEnd)
	q.Close(errors.New("later"))
	if _, err := q.Take(t.Context()); !errors.Is(err, errEnd) {
		t.Errorf("got %v, want %v at once", err, errEnd)
	}
}
