package secret

import (
	"context"
	"errors"
	"testing"
	"time"
)

// shelf is a store in memory that counts its reads; the real one is tested
// with repo.
type shelf struct {
	rows  []Sealed
	reads int
}

func (s *shelf) Secrets(context.Context) ([]Sealed, error) { s.reads++; return s.rows, nil }

func (s *shelf) AddSecret(_ context.Context, row Sealed, _ time.Time) (bool, error) {
	s.rows = append(s.rows, row)
	return true, nil
}

func (s *shelf) ForgetSecrets(context.Context, time.Time) (int, error) {
	return 0, errors.New("nothing is forgotten here")
}

func TestForgedGenerationsCostOneReadASecond(t *testing.T) {
	t.Parallel()
	store := &shelf{}
	ring, err := Open(t.Context(), store, NewMaster())
	if err != nil {
		t.Fatal(err)
	}
	now := time.Now().Add(time.Hour)
	ring.now = func() time.Time { return now }
	before := store.reads
	for range 100 {
		if _, ok := ring.Key(t.Context(), Cursor, 99); ok {
			t.Fatal("a forged generation is honoured")
		}
	}
	if got := store.reads - before; got != 1 {
		t.Errorf("%d reads in one second", got)
	}
	now = now.Add(reloadPause)
	ring.Key(t.Context(), Cursor, 99)
	if got := store.reads - before; got != 2 {
		t.Errorf("%d reads after the pause", got)
	}
}

func TestAnEmptiedStoreDoesNotEmptyTheRing(t *testing.T) {
	t.Parallel()
	store := &shelf{}
	ring, err := Open(t.Context(), store, NewMaster())
	if err != nil {
		t.Fatal(err)
	}
	kept := ring.Current(Cursor)
	store.rows = nil
	if err := ring.Reload(t.Context()); err == nil {
		t.Error("the loss went unnoticed")
	}
	if ring.Current(Cursor) != kept {
		t.Error("the key in memory was given up")
	}
}
