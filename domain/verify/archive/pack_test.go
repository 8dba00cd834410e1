package archive_test

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"testing/fstest"
	"time"

	"pgregory.net/rapid"

	"astrolabe/domain/verify/archive"
)

func pack(t testing.TB, files fs.FS) []byte {
	t.Helper()
	var packed bytes.Buffer
	if err := archive.Pack(&packed, files); err != nil {
		t.Fatal(err)
	}
	return packed.Bytes()
}

// project is the content of a small tree: path → content. Paths with a slash at
// the end are directories.
var project = map[string]string{
	"Scarb.toml": "[package]\nname = \"token\"\n", "Scarb.lock": "version = 1\n", "src/": "", "src/lib.cairo": "mod erc20;\n",
	"src/erc20.cairo": "fn f() {}\n", "src/erc20/": "", "src/erc20/tests.cairo": "", "src-old/": "", "scripts/": "", "scripts/deploy.sh": "#!/bin/sh\n",
	strings.Repeat("long/", 20): "", strings.Repeat("long/", 20) + "café.cairo": "x",
}

// write writes the project in the given order of paths.
func write(t *testing.T, dir string, order []string, file, folder fs.FileMode, clock time.Time) {
	t.Helper()
	for _, name := range order {
		full := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(full), 0o700); err != nil {
			t.Fatal(err)
		}
		if strings.HasSuffix(name, "/") {
			if err := os.MkdirAll(full, 0o700); err != nil {
				t.Fatal(err)
			}
			continue
		}
		permissions := file
		if strings.HasSuffix(name, ".sh") {
			permissions |= 0o100
		}
		if err := errors.Join(os.WriteFile(full, []byte(project[name]), 0o600), os.Chmod(full, permissions)); err != nil {
			t.Fatal(err)
		}
	}
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if os.Geteuid() == 0 {
			err = errors.Join(err, os.Lchown(path, 1000+len(path), 2000))
		}
		if entry.IsDir() {
			err = errors.Join(err, os.Chmod(path, folder))
		}
		return errors.Join(err, os.Chtimes(path, clock, clock))
	})
	if err != nil {
		t.Fatal(err)
	}
}

// projectStream is the SHA-256 of the project's tar stream. It must never
// change: archives of earlier releases have it.
const projectStream = "992d5ab6695dad35fb54ed6ad6a363a2eab20e63327b4d5102cce12418aec50c"

func TestTreesOfDifferentUsersUmasksClocksAndOrdersHaveOneDigest(t *testing.T) {
	t.Parallel()
	order := make([]string, 0, len(project))
	for name := range project {
		order = append(order, name)
	}
	digests := map[[32]byte]int{}
	for i, umask := range []fs.FileMode{0o022, 0o077, 0o002, 0o000, 0o027} {
		rand.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
		dir := t.TempDir()
		write(t, dir, order, 0o666&^umask, 0o777&^umask, time.Unix(int64(i)*1e8, 0))
		packed := pack(t, os.DirFS(dir))
		digests[sha256.Sum256(packed)]++
		if stream := fmt.Sprintf("%x", sha256.Sum256(expand(t, packed))); stream != projectStream {
			t.Errorf("got a tar stream with SHA-256 %s, want %s", stream, projectStream)
		}
		if _, err := files(packed); err != nil {
			t.Errorf("got %v, want the packed tree accepted", err)
		}
	}
	if len(digests) != 1 {
		t.Errorf("got %d digests of one tree, want one", len(digests))
	}
}

// shuffled lists directories in a random order.
type shuffled struct{ fstest.MapFS }

func (s shuffled) ReadDir(name string) ([]fs.DirEntry, error) {
	entries, err := s.MapFS.ReadDir(name)
	rand.Shuffle(len(entries), func(i, j int) { entries[i], entries[j] = entries[j], entries[i] })
	return entries, err
}

func TestOrderOfTheFileSystemDoesNotMatter(t *testing.T) {
	t.Parallel()
	tree := fstest.MapFS{"a/b": {Mode: 0o644}, "a-b": {Mode: 0o644}, "a.b": {Mode: 0o644}, "a/b-c": {Mode: 0o644}, "b": {Mode: 0o644}}
	want := pack(t, tree)
	for range 20 {
		if got := pack(t, shuffled{tree}); !bytes.Equal(got, want) {
			t.Fatal("got another archive from another order, want the same")
		}
	}
	if _, err := files(want); err != nil {
		t.Error(err)
	}
}

func TestPackLeavesOutToolFoldersAtTheRootOnly(t *testing.T) {
	t.Parallel()
	tree := fstest.MapFS{"lib/target/x": {}, "lib/.git": {}, "a": {}}
	want := pack(t, tree)
	for _, name := range []string{".git/HEAD", ".astrolabe/x", ".starkscan/x", "target/release/a.zip"} {
		tree[name] = &fstest.MapFile{Data: []byte("PK\x03\x04")}
	}
	if got := pack(t, tree); !bytes.Equal(got, want) {
		t.Error("got another archive with .git, .astrolabe, .starkscan and target, want them left out")
	}
	got, err := files(want)
	if err != nil || got["lib/target/x"] == nil || got["lib/.git"] == nil {
		t.Errorf("got %v and %v, want lib/target/x and lib/.git packed", got, err)
	}
}

func TestPackRejectsWhatReadRejects(t *testing.T) {
	t.Parallel()
	many := fstest.MapFS{}
	for i := range archive.MaxEntries + 1 {
		many[fmt.Sprint(i)] = &fstest.MapFile{}
	}
	noise := make([]byte, archive.MaxFile)
	_, _ = rand.NewChaCha8([32]byte{}).Read(noise)
	zeros := &fstest.MapFile{Data: make([]byte, archive.MaxFile)}
	for want, tree := range map[string]fstest.MapFS{
		"a symbolic link":         {"a": {Mode: fs.ModeSymlink, Data: []byte("/etc/passwd")}},
		"a FIFO":                  {"a": {Mode: fs.ModeNamedPipe}},
		"a socket":                {"a": {Mode: fs.ModeSocket}},
		"a device":                {"a": {Mode: fs.ModeDevice}},
		"backslash":               {`a\b`: {}},
		"control character":       {"a\n": {}},
		"only in case":            {"a": {}, "A": {}},
		"named like an archive":   {"a.zip": {}},
		"is an archive (zip)":     {"a": {Data: []byte("PK\x03\x04")}},
		"more than 5,000 entries": many,
		"at most 8 MiB":           {"a": {Data: make([]byte, archive.MaxFile+1)}},
		"expands to more than":    {"a": zeros, "b": zeros, "c": zeros, "d": zeros, "e": zeros, "f": zeros, "g": zeros, "h": zeros},
		"larger than 10 MiB":      {"a": {Data: noise}, "b": {Data: noise}},
		"33 levels":               {strings.Repeat("d/", 32) + "f": {}},
		"does not fit into a tar": {strings.Repeat("a", 101): {}},
		"at most 255":             {strings.Repeat("a", 99) + "/" + strings.Repeat("b", 99) + "/" + strings.Repeat("c", 99): {}},
	} {
		err := archive.Pack(new(bytes.Buffer), tree)
		if rejected, is := errors.AsType[*archive.Error](err); !is || !strings.Contains(rejected.Message, want) {
			t.Errorf("got %v, want archive_rejected with %q", err, want)
		}
	}
}

// TestGNUTarWritesTheSameStream holds docs/verification-archives.md to its word:
// the command that it shows for systems without astrolabe.
func TestGNUTarWritesTheSameStream(t *testing.T) {
	t.Parallel()
	if out, err := exec.Command("tar", "--version").Output(); err != nil || !bytes.Contains(out, []byte("GNU tar")) {
		t.Skip("GNU tar is not installed")
	}
	dir := t.TempDir()
	order := make([]string, 0, len(project))
	for name := range project {
		order = append(order, name)
	}
	write(t, dir, order, 0o640, 0o750, time.Now())
	cmd := exec.Command("sh", "-c", command(t))
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "OUT="+filepath.Join(t.TempDir(), "source.tar.gz"))
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("got %v and %s, want the documented command to work", err, out)
	}
	packed, err := os.ReadFile(strings.TrimPrefix(cmd.Env[len(cmd.Env)-1], "OUT="))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := files(packed); err != nil {
		t.Errorf("got %v, want the archive of GNU tar accepted", err)
	}
	if !bytes.Equal(expand(t, packed), expand(t, pack(t, os.DirFS(dir)))) {
		t.Error("got another tar stream from GNU tar, want the same")
	}
}

// command returns the shell command of the document.
func command(t *testing.T) string {
	t.Helper()
	page, err := os.ReadFile("../../../docs/verification-archives.md")
	if err != nil {
		t.Fatal(err)
	}
	_, text, found := strings.Cut(string(page), "```sh\nfind ")
	text, _, ended := strings.Cut(text, "```")
	if !found || !ended {
		t.Fatal("got no command in docs/verification-archives.md, want one that begins with find")
	}
	return strings.ReplaceAll("find "+text, "../source.tar.gz", `"$OUT"`)
}

// TestPackingWhatWasReadGivesTheSameStream is the property behind "deterministic":
// an accepted tree has exactly one tar stream.
func TestPackingWhatWasReadGivesTheSameStream(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		packed := gz(tree(randomEntries(t)...))
		tree, err := files(packed)
		if err != nil {
			t.Fatalf("got %v, want the archive accepted", err)
		}
		var again bytes.Buffer
		if err := archive.Pack(&again, tree); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(expand(t, again.Bytes()), expand(t, packed)) {
			t.Fatal("got another tar stream, want the same")
		}
	})
}

// randomEntries makes the sorted entries of a random valid tree by hand.
func randomEntries(t *rapid.T) [][]byte {
	names := rapid.SliceOfN(rapid.StringMatching(`([a-c]{1,3}[-.é]?/){0,5}[a-c]{1,40}`), 0, 12).Draw(t, "paths")
	kinds := map[string]byte{}
	for _, name := range names {
		if _, taken := kinds[name]; taken || below(kinds, name) {
			continue
		}
		kinds[name] = '0'
		for parent := path.Dir(name); parent != "."; parent = path.Dir(parent) {
			kinds[parent] = '5'
		}
	}
	paths := make([]string, 0, len(kinds))
	for name := range kinds {
		paths = append(paths, name)
	}
	slices.Sort(paths)
	entries := make([][]byte, len(paths))
	for i, name := range paths {
		if kinds[name] == '5' {
			entries[i] = directory(name + "/")
			continue
		}
		mode := rapid.SampledFrom([]string{"0000644\x00", "0000755\x00"}).Draw(t, "mode")
		entries[i] = entry('0', name, mode, rapid.StringOfN(rapid.RuneFrom([]rune("felt\n")), 0, 1500, -1).Draw(t, "content"))
	}
	return entries
}

// below reports whether a parent of the path is a file, or the path a parent.
func below(kinds map[string]byte, name string) bool {
	for parent := path.Dir(name); parent != "."; parent = path.Dir(parent) {
		if kinds[parent] == '0' {
			return true
		}
	}
	return false
}

func TestUnreadableFileIsNoRejection(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "a"), nil, 0o000); err != nil {
		t.Fatal(err)
	}
	err := archive.Pack(new(bytes.Buffer), broken{os.DirFS(dir)})
	if _, rejected := errors.AsType[*archive.Error](err); !errors.Is(err, syscall.EIO) || rejected {
		t.Errorf("got %v, want the error of the file system", err)
	}
}

// broken cannot open files.
type broken struct{ fs.FS }

func (b broken) Open(name string) (fs.File, error) {
	if name == "a" {
		return nil, &fs.PathError{Op: "open", Path: name, Err: syscall.EIO}
	}
	return b.FS.Open(name)
}
