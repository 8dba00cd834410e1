package archive_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"

	"astrolabe/domain/verify/archive"
)

func mode(f archive.File) fs.FileMode {
	switch {
	case f.Dir:
		return fs.ModeDir | 0o755
	case f.Executable:
		return 0o755
	}
	return 0o644
}

func discard(archive.File) error { return nil }

func TestReadPassesOnEveryEntryInOrder(t *testing.T) {
	t.Parallel()
	packed := gz(tree(file("Scarb.toml", "[package]"), entry('0', "build.sh", "0000755\x00", "#!"), directory("src/"),
		file("src-of.cairo", ""), file("src/lib.cairo", strings.Repeat("x", 1500)), file("ä ü", "ß")))
	var got []string
	err := archive.Read(iotest.OneByteReader(bytes.NewReader(packed)), func(f archive.File) error {
		content, err := io.ReadAll(f.Content)
		got = append(got, fmt.Sprintf("%s %s %d %d", f.Path, mode(f), f.Size, len(content)))
		return err
	})
	want := "Scarb.toml -rw-r--r-- 9 9, build.sh -rwxr-xr-x 2 2, src drwxr-xr-x 0 0, src-of.cairo -rw-r--r-- 0 0, src/lib.cairo -rw-r--r-- 1500 1500, ä ü -rw-r--r-- 2 2"
	if text := strings.Join(got, ", "); err != nil || text != want {
		t.Errorf("got %s and %v, want %s", text, err, want)
	}
}

func TestArchivesAtTheLimitsAreAccepted(t *testing.T) {
	t.Parallel()
	name := strings.Repeat("n", 99)
	deep := strings.Repeat("d/", archive.MaxDepth-1)
	levels := make([][]byte, 0, archive.MaxDepth)
	for i := range archive.MaxDepth - 1 {
		levels = append(levels, directory(strings.Repeat("d/", i+1)))
	}
	many := make([][]byte, archive.MaxEntries)
	for i := range many {
		many[i] = file(fmt.Sprintf("%05d", i), "")
	}
	zeros := make([]byte, archive.MaxFile)
	var large [][]byte
	for i := range 8 {
		size := archive.MaxFile
		if i == 7 {
			size -= 8*512 + 1024
		}
		large = append(large, file(fmt.Sprint(i), string(zeros[:size])))
	}
	long := strings.Repeat("p", 77)
	for name, packed := range map[string][]byte{
		"empty tree":       gz(tree()),
		"5,000 entries":    gz(tree(many...)),
		"32 levels":        gz(tree(append(levels, file(deep+"f", ""))...)),
		"64 MiB":           gz(tree(large...)),
		"name of 99 bytes": gz(tree(file(name, ""))),
		"path of 255 bytes": gz(tree(directory(long+"/"), directory(long+"/", at(345, long)),
			file(name, "", at(345, long+"/"+long)))),
	} {
		if err := archive.Read(bytes.NewReader(packed), discard); err != nil {
			t.Errorf("%s: got %v, want it accepted", name, err)
		}
	}
}

func TestContentsThatOnlyResembleArchivesAreAccepted(t *testing.T) {
	t.Parallel()
	for _, content := range []string{
		"LZIP compresses well", "MSCF is a magic", "Rar! is a shout", "BZh is short", "q\u01cd" + strings.Repeat(" text", 20), "0707",
		strings.Repeat("\x00", 2000), strings.Repeat(" ", 2000), strings.Repeat("7", 2000), "]\x00\x00",
		"\x5d\x00\x00\x80\x00" + strings.Repeat("\xff", 8) + "\x01", "\x5d\x00\x00\x85\x00" + strings.Repeat("\xff", 8) + "\x00",
	} {
		if err := archive.Read(bytes.NewReader(gz(tree(file("a", content)))), discard); err != nil {
			t.Errorf("got %v for a file that begins with %.20q, want it accepted", err, content)
		}
	}
}

// TestStreamIsBoundedWhereverItPassesTheLimit lets a header, not a content, be
// the one that passes 64 MiB.
func TestStreamIsBoundedWhereverItPassesTheLimit(t *testing.T) {
	t.Parallel()
	zeros := string(make([]byte, archive.MaxFile))
	var large [][]byte
	for i := range 8 {
		large = append(large, file(fmt.Sprint(i), zeros[:len(zeros)-512]))
	}
	err := archive.Read(bytes.NewReader(gz(tree(large...))), discard)
	if rejected, is := errors.AsType[*archive.Error](err); !is || !strings.Contains(rejected.Message, "64 MiB") {
		t.Errorf("got %v, want archive_rejected for more than 64 MiB", err)
	}
}

// endless counts how much of it is read.
type endless struct {
	prefix io.Reader
	count  int64
}

func (e *endless) Read(p []byte) (int, error) {
	n, err := e.prefix.Read(p)
	if errors.Is(err, io.EOF) {
		clear(p)
		n, err = len(p), nil
	}
	e.count += int64(n)
	return n, err
}

func TestEndlessInputIsReadUpTo10MiB(t *testing.T) {
	t.Parallel()
	// A deflate stream of empty stored blocks has no end and no content.
	input := &endless{prefix: bytes.NewReader([]byte("\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff"))}
	blocks := &repeat{text: "\x00\x00\x00\xff\xff"}
	input.prefix = io.MultiReader(input.prefix, blocks)
	err := archive.Read(input, discard)
	if rejected, is := errors.AsType[*archive.Error](err); !is || !strings.Contains(rejected.Message, "10 MiB") {
		t.Errorf("got %v, want archive_rejected for more than 10 MiB", err)
	}
	if input.count > archive.MaxCompressed+1 {
		t.Errorf("got %d bytes read, want at most one more than 10 MiB", input.count)
	}
}

// repeat repeats a text without end.
type repeat struct {
	text string
	next int
}

func (r *repeat) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = r.text[r.next]
		r.next = (r.next + 1) % len(r.text)
	}
	return len(p), nil
}

func TestReadUsesLittleMemory(t *testing.T) { //nolint:paralleltest // measures allocations of the process
	zeros := string(make([]byte, archive.MaxFile-1024))
	var large [][]byte
	for i := range 7 {
		large = append(large, file(fmt.Sprint(i), zeros))
	}
	packed := gz(tree(large...))
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	err := archive.Read(bytes.NewReader(packed), discard)
	runtime.ReadMemStats(&after)
	if allocated := after.TotalAlloc - before.TotalAlloc; err != nil || allocated > 1<<20 {
		t.Errorf("got %d bytes allocated for 56 MiB of content and %v, want at most 1 MiB", allocated, err)
	}
}

func TestErrorOfTheInputIsNoRejection(t *testing.T) {
	t.Parallel()
	packed := gz(tree(file("a", strings.Repeat("felt252 ", 1000)), file("b", "")))
	lost := errors.New("the connection was lost")
	for cut := range len(packed) + 1 {
		err := archive.Read(io.MultiReader(bytes.NewReader(packed[:cut]), iotest.ErrReader(lost)), func(f archive.File) error {
			_, err := io.Copy(io.Discard, f.Content)
			return err
		})
		if _, rejected := errors.AsType[*archive.Error](err); !errors.Is(err, lost) || rejected {
			t.Fatalf("got %v after %d bytes, want the error of the input", err, cut)
		}
	}
}

func TestErrorOfTheCallbackEndsTheRead(t *testing.T) {
	t.Parallel()
	stop := fmt.Errorf("no more, at %w", io.EOF)
	calls := 0
	err := archive.Read(bytes.NewReader(gz(tree(file("a", "x"), file("b", "x")))), func(archive.File) error {
		calls++
		return stop
	})
	if !errors.Is(err, stop) || calls != 1 {
		t.Errorf("got %v after %d calls, want the error of the first call", err, calls)
	}
}

func TestCallbackCannotHideABrokenContent(t *testing.T) {
	t.Parallel()
	err := archive.Read(bytes.NewReader(gz(file("a", strings.Repeat("x", 2000))[:1000])), func(f archive.File) error {
		_, _ = io.Copy(io.Discard, f.Content)
		return nil
	})
	if rejected, is := errors.AsType[*archive.Error](err); !is || !strings.Contains(rejected.Message, `content of "a"`) {
		t.Errorf("got %v, want archive_rejected for the content", err)
	}
}

func TestContentIsClosedAfterItsCallback(t *testing.T) {
	t.Parallel()
	var kept io.Reader
	err := archive.Read(bytes.NewReader(gz(tree(file("a", "x"), file("b", "y")))), func(f archive.File) error {
		if kept != nil {
			if n, err := kept.Read(make([]byte, 1)); n != 0 || err == nil || errors.Is(err, io.EOF) {
				t.Errorf("got %d bytes and %v of an earlier file, want an error", n, err)
			}
		}
		kept = f.Content
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

func TestExtraFlagsAndSystemOfGzipAreFree(t *testing.T) {
	t.Parallel()
	if err := archive.Read(bytes.NewReader(gz(tree(ok), at(8, "\x02\x03"))), discard); err != nil {
		t.Errorf("got %v for the header that gzip -n9 writes, want it accepted", err)
	}
}
