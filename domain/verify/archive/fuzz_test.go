package archive_test

import (
	"bytes"
	"io"
	"strings"
	"testing"

	"astrolabe/domain/verify/archive"
)

// FuzzRead reads arbitrary bytes as an archive.
func FuzzRead(f *testing.F) {
	for _, h := range append(append(containers(), streams()...), nested()...) {
		f.Add(h.archive)
	}
	f.Add(gz(tree(ok)))
	f.Fuzz(holds)
}

// FuzzReadTree reads arbitrary bytes as the tar stream of a flawless gzip member,
// so that the fuzzer reaches the headers.
func FuzzReadTree(f *testing.F) {
	f.Add(tree(directory("a/"), file("a/b", "felt252"), entry('0', "c", "0000755\x00", "")))
	f.Add(tree(file(strings.Repeat("x", 99), "", at(345, strings.Repeat("y", 100))), directory("z/")))
	for _, h := range append(append(headers(), paths()...), relations()...) {
		f.Add(expand(f, h.archive))
	}
	f.Fuzz(func(t *testing.T, stream []byte) {
		for offset := 0; offset+512 <= len(stream); offset += 512 {
			if header := stream[offset : offset+512]; string(header[257:262]) == "ustar" {
				seal(header) // the fuzzer cannot guess checksums
			}
		}
		holds(t, gz(stream))
	})
}

// holds checks what is promised of any input: limits, safe messages, and that
// an accepted tree packs to the same stream.
func holds(t *testing.T, packed []byte) {
	entries, total := 0, int64(0)
	err := archive.Read(bytes.NewReader(packed), func(f archive.File) error {
		n, err := io.Copy(io.Discard, f.Content)
		entries, total = entries+1, total+n
		if n != f.Size && err == nil || n > archive.MaxFile || len(f.Path) > archive.MaxPath || strings.Count(f.Path, "/") >= archive.MaxDepth {
			t.Errorf("got %q with %d bytes of %d, want it within the limits", f.Path, n, f.Size)
		}
		return err
	})
	if entries > archive.MaxEntries || total > archive.MaxExpanded {
		t.Errorf("got %d entries with %d bytes, want them within the limits", entries, total)
	}
	if err != nil {
		return
	}
	tree, err := files(packed)
	if err != nil {
		t.Fatalf("got %v at the second read, want the archive accepted again", err)
	}
	if !bytes.Equal(expand(t, pack(t, tree)), expand(t, packed)) {
		t.Error("got another tar stream from an accepted tree, want the same")
	}
}
