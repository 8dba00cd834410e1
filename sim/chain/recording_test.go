package chain

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"
)

// recorded returns the bytes of a recording with two blocks, the second of which replaces
// the first.
func recorded(t testing.TB) []byte {
	t.Helper()
	path := filepath.Join(t.TempDir(), "chain")
	r, err := CreateRecording(path, About{Chain: "SN_MAIN"})
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := r.Append(Entry{Block: sampleBlock()}); err != nil {
			t.Fatal(err)
		}
	}
	text, err := os.ReadFile(path)
	if err := errors.Join(err, r.Close()); err != nil {
		t.Fatal(err)
	}
	return text
}

func TestRecordingsAreNotOverwritten(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "chain")
	if err := os.WriteFile(path, []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := CreateRecording(path, About{}); !errors.Is(err, os.ErrExist) {
		t.Errorf("got %v, want %v", err, os.ErrExist)
	}
}

// FuzzRecording reads damaged files. Reading ends or fails with a known error,
// and a continued file contains exactly what was read from it.
func FuzzRecording(f *testing.F) {
	text := recorded(f)
	f.Add(text)
	f.Add(text[:len(text)-3])
	f.Add(text[:bytes.IndexByte(text, '\n')+1])
	f.Add([]byte("{}\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		path := filepath.Join(t.TempDir(), "chain")
		if err := os.WriteFile(path, text, 0o600); err != nil {
			t.Fatal(err)
		}
		r, err := ContinueRecording(path, func(About) error { return nil })
		if err != nil {
			if !errors.Is(err, ErrNotARecording) {
				t.Error(err)
			}
			return
		}
		defer func() { _ = r.Close() }()
		for {
			if _, err = r.Next(); err != nil {
				break
			}
		}
		if !errors.Is(err, io.EOF) && !errors.Is(err, ErrNotARecording) {
			t.Error(err)
		}
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		if info.Size() != r.end {
			t.Errorf("got a file of %d bytes, want it to end with the recording after %d", info.Size(), r.end)
		}
	})
}
