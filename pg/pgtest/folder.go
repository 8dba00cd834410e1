package pgtest

import (
	"os"
	"sync"
	"syscall"
	"testing"
)

// Linux keeps the files of this folder in memory, where a clone of a database
// takes a sixth of the system's time. The largest package needs 600 MB of it.
const (
	memory = "/dev/shm"
	room   = 4 << 30
)

// parent is the folder for server folders: in memory if there is enough of it,
// unless TMPDIR is set.
func parent() string {
	var fs syscall.Statfs_t
	if os.Getenv("TMPDIR") == "" && syscall.Statfs(memory, &fs) == nil && fs.Bavail*uint64(fs.Bsize) >= room {
		return memory
	}
	return os.TempDir()
}

// folders is the reaper of the folder that holds the folders of this process.
var folders = sync.OnceValues(func() (*reaper, error) {
	dir, err := newFolder(parent())
	if err != nil {
		return nil, err
	}
	return watch(dir)
})

// newFolder creates a folder that the server user can traverse.
func newFolder(parent string) (string, error) {
	dir, err := os.MkdirTemp(parent, "astrolabe-pgtest-")
	if err != nil {
		return "", err
	}
	return dir, os.Chmod(dir, 0o711)
}

// Dir is t.TempDir for tests that start a private server themselves: for root,
// the server user can reach it.
func Dir(tb testing.TB) string {
	tb.Helper()
	all, err := folders()
	if err != nil {
		tb.Fatalf("pgtest: %v", err)
	}
	dir, err := newFolder(all.dir)
	if err != nil {
		tb.Fatalf("pgtest: %v", err)
	}
	tb.Cleanup(func() {
		if err := os.RemoveAll(dir); err != nil {
			tb.Errorf("pgtest: %v", err)
		}
	})
	return dir
}
