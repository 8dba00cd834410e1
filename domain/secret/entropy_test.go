package secret

import (
	"errors"
	"strings"
	"testing"
)

func TestMasterKeyThatIsNotRandomIsWeak(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"zeros":           strings.Repeat("00", Size),
		"one byte":        strings.Repeat("a7", Size),
		"eight bytes":     strings.Repeat("9f3b61d2c07e58a4", 4),
		"counted up":      "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f",
		"counted by 17":   "00112233445566778899aabbccddeeff102132435465768798a9bacbdcedfe0f",
		"a text in hex":   "636f727265637420686f727365206261747465727920737461706c6520212121",
		"decimal digits":  "3141592653589793238462643383279502884197169399375105820974944592",
		"deadbeef":        strings.Repeat("deadbeef", 8),
		"few that differ": strings.Repeat("00", Size-8) + "9f3b61d2c07e58a4",
	} {
		master, err := ParseMaster(text)
		if err != nil {
			t.Fatal(err)
		}
		if err := master.Check(); !errors.Is(err, ErrWeakMaster) {
			t.Errorf("%s: got %v, want %v", name, err, ErrWeakMaster)
		}
	}
}

func TestRandomMasterKeyIsNotWeak(t *testing.T) {
	t.Parallel()
	for range 100_000 {
		if err := NewMaster().Check(); err != nil {
			t.Fatalf("got %v, want no error", err)
		}
	}
}
