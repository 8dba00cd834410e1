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
			t.Fatal("got a key of a forged generation, want none")
		}
	}
	if got := store.reads - before; got != 1 {
		t.Errorf("got %d reads in one second, want 1", got)
	}
	now = now.Add(reloadPause)
	ring.Key(t.Context(), Cursor, 99)
	if got := store.reads - before; got != 2 {
		t.Errorf("got %d reads after the pause, want 2", got)
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
		t.Error("got no error from an empty store, want one")
	}
	if ring.Current(Cursor) != kept {
		t.Error("got another key after the failed reload, want the key in memory")
	}
}
