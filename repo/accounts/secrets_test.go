package accounts

import (
	"bytes"
	"errors"
	"slices"
	"sync"
	"testing"
	"time"

	"astrolabe/domain"
	"astrolabe/domain/account"
	"astrolabe/domain/secret"
	"astrolabe/repo"
	"astrolabe/repo/repotest"
)

func openRing(t *testing.T, db *repo.DB, master secret.Master) *secret.Ring {
	t.Helper()
	ring, err := secret.Open(t.Context(), NewSecrets(db), master)
	if err != nil {
		t.Fatal(err)
	}
	return ring
}

func TestOldCursorsAndKeysSurviveARotation(t *testing.T) {
	t.Parallel()
	db, master := repotest.Open(t), secret.NewMaster()
	before := openRing(t, db, master)
	list, pos := domain.Bind("/v1/SN_MAIN/blocks"), domain.Position{7}
	cursor := domain.NewCursors(before.CursorKeys()).Encode(list, pos, time.Time{})
	key, pepper := account.NewKeyText(account.Live), before.Current(secret.Pepper)
	hash := key.Hash(pepper.Material[:])

	for _, purpose := range secret.Purposes {
		if _, err := before.Rotate(t.Context(), purpose, time.Hour); err != nil {
			t.Fatal(err)
		}
	}

	after := openRing(t, db, master) // a process that starts afterwards
	cursors := domain.NewCursors(after.CursorKeys())
	if got, err := cursors.Decode(t.Context(), list, cursor); err != nil || !slices.Equal(got, pos) {
		t.Errorf("old cursor: got %v and %v, want %v", got, err, pos)
	}
	if fresh := cursors.Encode(list, pos, time.Time{}); fresh == cursor {
		t.Error("got a cursor of the old key, want one of the new key")
	}
	old, ok := after.Key(t.Context(), secret.Pepper, pepper.Generation)
	if !ok || !bytes.Equal(key.Hash(old.Material[:]), hash) {
		t.Error("got no key for the old hash, want it still valid")
	}
	if now := after.Current(secret.Pepper); now.Generation != pepper.Generation+1 || now.Material == pepper.Material {
		t.Errorf("got pepper generation %d, want %d with another key", now.Generation, pepper.Generation+1)
	}
}

func TestARunningProcessHonoursARotationElsewhere(t *testing.T) {
	t.Parallel()
	db, master := repotest.Open(t), secret.NewMaster()
	running, other := openRing(t, db, master), openRing(t, db, master)
	rotated, err := other.Rotate(t.Context(), secret.Cursor, time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	deadline := time.Now().Add(time.Minute) // an unknown generation is looked up at most once a second
	for {
		if key, ok := running.Key(t.Context(), secret.Cursor, rotated.Generation); ok && key.Material == rotated.Material {
			return
		}
		if time.Now().After(deadline) {
			t.Fatal("timed out, want the new generation")
		}
	}
}

func TestARetiredGenerationIsForgottenAfterItsOverlap(t *testing.T) {
	t.Parallel()
	db, master := repotest.Open(t), secret.NewMaster()
	ring := openRing(t, db, master)
	for _, purpose := range []secret.Purpose{secret.Cursor, secret.Pepper} {
		if _, err := ring.Rotate(t.Context(), purpose, 0); err != nil {
			t.Fatal(err)
		}
	}
	if _, ok := ring.Key(t.Context(), secret.Cursor, 1); ok {
		t.Error("got a generation accepted after its overlap, want it rejected")
	}
	forgotten, err := NewSecrets(db).ForgetSecrets(t.Context(), time.Now().Add(time.Minute))
	if err != nil || forgotten != 1 {
		t.Errorf("forgot %d, %v; want the cursor key alone", forgotten, err)
	}
	if _, ok := openRing(t, db, master).Key(t.Context(), secret.Pepper, 1); !ok {
		t.Error("got no old pepper, want it kept for the keys that it hashed")
	}
}

func TestProcessesThatStartTogetherShareTheirSecrets(t *testing.T) {
	t.Parallel()
	db, master := repotest.Open(t), secret.NewMaster()
	rings := make([]*secret.Ring, 4)
	var group sync.WaitGroup
	for i := range rings {
		group.Go(func() { rings[i] = openRing(t, db, master) })
	}
	group.Wait()
	for _, purpose := range secret.Purposes {
		for _, ring := range rings[1:] {
			if ring.Current(purpose).Material != rings[0].Current(purpose).Material {
				t.Errorf("got different %s keys in two processes, want the same", purpose)
			}
		}
	}
}

func TestAnotherMasterKeyIsRefused(t *testing.T) {
	t.Parallel()
	db := repotest.Open(t)
	openRing(t, db, secret.NewMaster())
	if _, err := secret.Open(t.Context(), NewSecrets(db), secret.NewMaster()); !errors.Is(err, secret.ErrOtherMaster) {
		t.Errorf("got %v, want %v", err, secret.ErrOtherMaster)
	}
}

func TestReplacedMasterKeyOpensTheSameSecrets(t *testing.T) {
	t.Parallel()
	db, old, replacement := repotest.Open(t), secret.NewMaster(), secret.NewMaster()
	before := openRing(t, db, old)
	if _, err := before.Rotate(t.Context(), secret.Cursor, time.Hour); err != nil {
		t.Fatal(err)
	}
	store := NewSecrets(db)
	if _, err := secret.Reseal(t.Context(), store, secret.NewMaster(), replacement); !errors.Is(err, secret.ErrOtherMaster) {
		t.Errorf("with a wrong master key: got %v, want %v", err, secret.ErrOtherMaster)
	}
	count, err := secret.Reseal(t.Context(), store, old, replacement)
	if err != nil || count != len(secret.Purposes)+1 {
		t.Fatalf("got %d resealed and %v, want %d", count, err, len(secret.Purposes)+1)
	}
	if _, err := secret.Open(t.Context(), store, old); !errors.Is(err, secret.ErrOtherMaster) {
		t.Errorf("with the old master key: got %v, want %v", err, secret.ErrOtherMaster)
	}
	after := openRing(t, db, replacement)
	for _, purpose := range secret.Purposes {
		if after.Current(purpose).Material != before.Current(purpose).Material {
			t.Errorf("%s: got another secret, want the same", purpose)
		}
	}
	// A process that still has the old master key adds nothing that others
	// cannot read, and goes on when it learns the new one.
	if _, err := before.Rotate(t.Context(), secret.Cursor, time.Hour); !errors.Is(err, secret.ErrOtherMaster) {
		t.Errorf("rotation with the old master key: got %v, want %v", err, secret.ErrOtherMaster)
	}
	before.Trust(replacement)
	if _, err := before.Rotate(t.Context(), secret.Cursor, time.Hour); err != nil {
		t.Errorf("rotation with both master keys: got %v, want no error", err)
	}
	if err := after.Reload(t.Context()); err != nil || after.Current(secret.Cursor).Material != before.Current(secret.Cursor).Material {
		t.Errorf("got %v, want both processes to have the same secrets", err)
	}
}
