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

// TestANewGenerationIsUsedWhenEveryProcessKnowsIt rotates a key whose values are
// looked up under every generation.
func TestANewGenerationIsUsedWhenEveryProcessKnowsIt(t *testing.T) {
	t.Parallel()
	ring, err := Open(t.Context(), &shelf{}, NewMaster())
	if err != nil {
		t.Fatal(err)
	}
	now := time.Now()
	ring.now = func() time.Time { return now }
	first := ring.Current(Prove).Material
	if got := ring.Settled(Prove); len(got) != 1 || got[0] != first {
		t.Errorf("got %d keys, want the only one at once", len(got))
	}
	now = now.Add(time.Hour)
	second, err := ring.Rotate(t.Context(), Prove, 0)
	if err != nil {
		t.Fatal(err)
	}
	if got := ring.Settled(Prove); len(got) != 2 || got[0] != first || got[1] != second.Material {
		t.Error("got the new key first, want it looked up and not yet used")
	}
	now = now.Add(settling + time.Second)
	if got := ring.Settled(Prove); len(got) != 2 || got[0] != second.Material || got[1] != first {
		t.Error("got the old key first, want the new one used when it has settled")
	}
}
