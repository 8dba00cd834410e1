package pg_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"astrolabe/pg"
	"astrolabe/pg/pgtest"
)

// wantRefusal starts and checks the kind of the error and the names in its one
// sentence.
func wantRefusal(t *testing.T, o pg.Options, kind error, names ...string) {
	t.Helper()
	server, err := pg.Start(t.Context(), o)
	if err == nil {
		stop(t, server)
	}
	if !errors.Is(err, kind) {
		t.Fatalf("got %v, want %v", err, kind)
	}
	for _, name := range names {
		if !strings.Contains(err.Error(), name) {
			t.Errorf("got %q, want %q in it", err, name)
		}
	}
	if strings.Contains(err.Error(), "\n") {
		t.Errorf("got %q, want one line", err)
	}
}

func write(t *testing.T, path, content string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o750); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestFolderInUseIsRejectedNamingItsProcess(t *testing.T) {
	t.Parallel()
	dir := existing(t)
	server := start(t, pg.Options{Dir: dir})
	wantRefusal(t, pg.Options{Dir: dir}, pg.ErrFolderInUse, dir, fmt.Sprintf("process %d", os.Getpid()))
	if got := value[int](t, server, "SELECT 1"); got != 1 {
		t.Fatalf("first server: got %d, want 1", got)
	}
}

func TestClusterOfAnotherMajorVersionIsRejected(t *testing.T) {
	t.Parallel()
	dir := existing(t)
	server := start(t, pg.Options{Dir: dir})
	major := value[string](t, server, "SELECT current_setting('server_version_num')::int / 10000 || ''")
	stop(t, server)
	write(t, filepath.Join(dir, "cluster", "PG_VERSION"), "8.4\n")
	wantRefusal(t, pg.Options{Dir: dir}, pg.ErrOtherVersion, "Postgres 8.4", "Postgres "+major, "pg_upgrade")
}

func TestFolderWithOtherFilesIsRejectedUnchanged(t *testing.T) {
	t.Parallel()
	for name, file := range map[string]string{
		"a stranger's file":        "photo.jpg",
		"a Postgres data folder":   "PG_VERSION",
		"a cluster without a mark": "cluster/PG_VERSION",
		"a cluster that is none":   "cluster/photo.jpg",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := pgtest.Dir(t)
			write(t, filepath.Join(dir, file), "15")
			if os.Geteuid() == 0 {
				_ = os.Chown(filepath.Join(dir, "cluster"), 65534, 65534)
			}
			wantRefusal(t, pg.Options{Dir: dir}, pg.ErrNotACluster, dir)
			entries, err := os.ReadDir(dir)
			if err != nil || len(entries) != 1 {
				t.Fatalf("got %v and %v in the folder, want its one file", entries, err)
			}
		})
	}
}

func TestFileInPlaceOfTheFolderIsRejected(t *testing.T) {
	t.Parallel()
	path := filepath.Join(pgtest.Dir(t), "file")
	write(t, path, "")
	wantRefusal(t, pg.Options{Dir: path}, pg.ErrNotACluster, path)
}

func TestMissingServerIsAnErrorThatLeavesNothingBehind(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(pgtest.Dir(t), "data")
	empty := t.TempDir()
	wantRefusal(t, pg.Options{Dir: dir, BinDir: empty}, pg.ErrNoBinaries, empty)
	if _, err := os.Stat(dir); err == nil {
		t.Fatal("got a data folder, want none")
	}
}

func TestFolderBelowAnInaccessibleOneIsRejected(t *testing.T) {
	t.Parallel()
	needRoot(t)
	closed := filepath.Dir(t.TempDir()) // has mode 0700
	dir := filepath.Join(closed, "data")
	wantRefusal(t, pg.Options{Dir: dir}, pg.ErrUnreachable, "cannot enter "+closed+":", "/var/lib")
	if _, err := os.Stat(dir); err == nil {
		t.Fatal("got a data folder, want none")
	}
}

func TestFolderOfAnotherUserIsRejected(t *testing.T) {
	t.Parallel()
	dir := "/" // a program of an ordinary user cannot use root's folder
	if os.Geteuid() == 0 {
		dir = pgtest.Dir(t)
		if err := os.Chown(dir, 65534, 65534); err != nil {
			t.Fatal(err)
		}
	}
	wantRefusal(t, pg.Options{Dir: dir}, pg.ErrUnreachable, "belongs to user", "run the program as that user")
}

func TestClusterOwnedByRootIsRejected(t *testing.T) {
	t.Parallel()
	needRoot(t)
	dir := existing(t)
	if err := os.Chown(filepath.Join(dir, "cluster"), 0, 0); err != nil {
		t.Fatal(err)
	}
	wantRefusal(t, pg.Options{Dir: dir}, pg.ErrUnreachable, "chown -R")
}
