package toolchain_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"astrolabe/toolchain"
	"astrolabe/toolchain/cairotest"
)

func TestFolderDigestIsTheOneOfSha256sum(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, name := range []string{"b", "a/x", "a.txt", "a/deep/y"} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(name), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	command := exec.CommandContext(t.Context(), "sh", "-c", "find . -type f -printf '%P\\n' | LC_ALL=C sort | xargs sha256sum | sha256sum")
	command.Dir = dir
	want, err := command.Output()
	if err != nil {
		t.Skipf("no sha256sum: %v", err)
	}
	if got, err := toolchain.FolderDigest(dir); err != nil || !strings.HasPrefix(string(want), got+" ") {
		t.Errorf("the digest: got %s, %v, want %s", got, err, want)
	}
	if err := os.Symlink("b", filepath.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
	if got, err := toolchain.FolderDigest(dir); err == nil {
		t.Errorf("a folder with a symbolic link: got %s, want an error", got)
	}
}

func TestChangedMachineCodeIsNotUsed(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := filepath.Join(dir, "code")
	if err := os.WriteFile(file, []byte("one"), 0o600); err != nil {
		t.Fatal(err)
	}
	digest, err := toolchain.FolderDigest(dir)
	if err != nil {
		t.Fatal(err)
	}
	cache := toolchain.Cache{Dir: dir, Digest: digest}
	if err := cache.Check(); err != nil {
		t.Errorf("an unchanged cache: got %v, want no error", err)
	}
	if err := os.WriteFile(file, []byte("two"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := cache.Check(); !errors.Is(err, toolchain.ErrForeignCache) {
		t.Errorf("a changed cache: got %v, want %v", err, toolchain.ErrForeignCache)
	}
	if err := (toolchain.Cache{Dir: filepath.Join(dir, "none")}).Check(); !errors.Is(err, toolchain.ErrForeignCache) {
		t.Errorf("no cache: got %v, want %v", err, toolchain.ErrForeignCache)
	}
}

func TestWarmCacheIsTheSameForEveryProcess(t *testing.T) {
	t.Parallel()
	options := cairotest.Optional(t)
	options.CacheDir = filepath.Dir(options.CacheDir)
	first, err := toolchain.Warm(t.Context(), options)
	if err != nil {
		t.Fatal(err)
	}
	second, err := toolchain.Warm(t.Context(), options)
	if err != nil || first != second {
		t.Errorf("warmed twice: got %+v, %v, want %+v", second, err, first)
	}
	if err := first.Check(); err != nil {
		t.Errorf("the warm cache: got %v, want no error", err)
	}
}
