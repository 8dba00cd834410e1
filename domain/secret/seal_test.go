package secret

import (
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
)

func TestASealedKeyOpensOnlyInItsRowUnderItsMaster(t *testing.T) {
	t.Parallel()
	master := NewMaster()
	key := Key{Purpose: Cursor, Generation: 3, Material: NewMaterial()}
	sealed := master.seal(key)
	if opened, err := master.open(sealed); err != nil || opened.Material != key.Material {
		t.Fatalf("got %v or another key, want the sealed key", err)
	}
	if strings.Contains(string(sealed.Box), string(key.Material[:])) {
		t.Error("got the key in plain text in the box, want it encrypted")
	}
	if _, err := NewMaster().open(sealed); !errors.Is(err, ErrOtherMaster) {
		t.Errorf("another master key: got %v, want %v", err, ErrOtherMaster)
	}
	for name, change := range map[string]func(*Sealed){
		"purpose":    func(s *Sealed) { s.Purpose = Pepper },
		"generation": func(s *Sealed) { s.Generation++ },
		"box":        func(s *Sealed) { s.Box[len(s.Box)-1] ^= 1 },
	} {
		changed := master.seal(key)
		change(&changed)
		if _, err := master.open(changed); err == nil {
			t.Errorf("another %s: got a key, want an error", name)
		}
	}
}

func TestKeyMaterialNeverPrints(t *testing.T) {
	t.Parallel()
	master, err := ParseMaster(strings.Repeat("5a", Size) + "\n")
	if err != nil {
		t.Fatal(err)
	}
	key := Key{Purpose: Cursor, Material: Material([]byte(strings.Repeat("Z", Size)))}
	var log strings.Builder
	logger := slog.New(slog.NewJSONHandler(&log, nil))
	logger.Info("x", "key", key, "master", master, "material", key.Material)
	encoded, err := json.Marshal([]any{key, master})
	if err != nil {
		t.Fatal(err)
	}
	all := fmt.Sprintf("%v %+v %#v %x %d %v", key, key, key, key.Material, key.Material, master) + log.String() + string(encoded)
	for _, tell := range []string{"ZZZZ", "5a5a", "5A5A", "90 90", "90,90", "WlpaWl"} {
		if strings.Contains(all, tell) {
			t.Errorf("got %q in %s, want no key material", tell, all)
		}
	}
}

func TestAMasterKeyIs64HexDigits(t *testing.T) {
	t.Parallel()
	master := NewMaster()
	if again, err := ParseMaster(" " + master.Reveal() + "\n"); err != nil || again != master {
		t.Errorf("got %v or another master key, want the revealed one", err)
	}
	for _, bad := range []string{"", "00", strings.Repeat("g", 64), strings.Repeat("0", 66)} {
		if _, err := ParseMaster(bad); !errors.Is(err, ErrMalformedMaster) {
			t.Errorf("%q: got %v, want %v", bad, err, ErrMalformedMaster)
		}
	}
}
