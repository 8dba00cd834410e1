package main

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"astrolabe/pg"
	"astrolabe/pg/pgtest"
	"astrolabe/repo/repotest"
)

// script runs a script of this repository with a database and returns its
// output, which includes that of a failure.
func script(t *testing.T, url, name string, args ...string) (string, error) {
	t.Helper()
	binary, err := buildOnce()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), filepath.Join("../../scripts", name), args...)
	cmd.Env = append(os.Environ(), "ASTROLABE="+binary, "ASTROLABE_DATABASE_URL="+url)
	output, err := cmd.CombinedOutput()
	return string(output), err
}

// runs is script for one that must succeed.
func runs(t *testing.T, url, name string, args ...string) string {
	t.Helper()
	output, err := script(t, url, name, args...)
	if err != nil {
		t.Fatalf("%s %s: got %v, want success\n%s", name, strings.Join(args, " "), err, output)
	}
	return output
}

func TestRestoredDumpHasTheSameDigest(t *testing.T) {
	t.Parallel()
	o := newOperator(t)
	folder := filepath.Join(t.TempDir(), "backup")
	runs(t, o.url, "backup", "dump", folder)
	restored := &operator{T: t, url: pgtest.Database(t, nil)}
	o.expects(runs(t, restored.url, "restore", "dump", folder), "The restored index has the digest of the backup.")
	if got, want := restored.types(exitOK, "digest --tables"), o.types(exitOK, "digest --tables"); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	restored.types(exitOK, "fsck")

	output, err := script(t, restored.url, "restore", "dump", folder)
	if err == nil || !strings.Contains(output, "The database has tables. Restore into a new, empty database.") {
		t.Errorf("restore into a full database: got %v and %s, want a refusal", err, output)
	}
	output, err = script(t, o.url, "backup", "dump", folder)
	if err == nil || !strings.Contains(output, "already exists") {
		t.Errorf("backup over a backup: got %v and %s, want a refusal", err, output)
	}
}

func TestRestoreReportsADigestThatDiffers(t *testing.T) {
	t.Parallel()
	o := newOperator(t)
	folder := filepath.Join(t.TempDir(), "backup")
	runs(t, o.url, "backup", "dump", folder)
	path := filepath.Join(folder, "digest.txt")
	if err := os.WriteFile(path, []byte("SN_MAIN  blocks 0 to 60  digest "+strings.Repeat("0", 64)+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	output, err := script(t, pgtest.Database(t, nil), "restore", "dump", folder)
	if err == nil || !strings.Contains(output, "The digest differs.") {
		t.Errorf("got %v and %s, want a failure that says that the digest differs", err, output)
	}
}

// TestRestoredBaseBackupHasTheSameDigest copies a running private server, loses
// its cluster and starts it with the copy.
func TestRestoredBaseBackupHasTheSameDigest(t *testing.T) {
	t.Parallel()
	parent := pgtest.Dir(t)
	folder, backup := filepath.Join(parent, "postgres"), filepath.Join(parent, "backup")
	server := startServer(t, folder)
	o := &operator{T: t, url: server.URL("postgres")}
	if err := repotest.Indexed(t.Context(), o.url); err != nil {
		t.Fatal(err)
	}
	runs(t, o.url, "backup", "base", backup)
	digest := o.types(exitOK, "digest --tables")
	if err := server.Stop(t.Context()); err != nil {
		t.Fatal(err)
	}

	cluster, lost := filepath.Join(folder, "cluster"), filepath.Join(parent, "lost")
	if err := os.Rename(cluster, lost); err != nil {
		t.Fatal(err)
	}
	runs(t, "", "restore", "base", backup, cluster)
	sameOwner(t, lost, cluster)
	startServer(t, folder)
	if got := o.types(exitOK, "digest --tables"); got != digest {
		t.Errorf("got\n%swant\n%s", got, digest)
	}
	o.types(exitOK, "fsck")
}

// startServer starts a private server that stops with the test.
func startServer(t *testing.T, dir string) *pg.Server {
	t.Helper()
	server, err := pg.Start(t.Context(), pg.Options{Dir: dir, Settings: map[string]string{"fsync": "off", "shared_buffers": "32MB"}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.Stop(context.Background()) }) // it may have been stopped
	return server
}

// sameOwner gives a folder to the user of another one, under which the server
// runs if the test is run as root.
func sameOwner(t *testing.T, of, folder string) {
	t.Helper()
	if output, err := exec.Command("chown", "-R", "--reference", of, folder).CombinedOutput(); err != nil {
		t.Fatalf("chown: %v: %s", err, output)
	}
}

// TestBackupKeepsThePasswordInAFile checks how the scripts pass a URL on: in a
// file that only its owner can read, with the escapes of the URL resolved.
func TestBackupKeepsThePasswordInAFile(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	const url = "postgres://us%40er:p%3a%25w%2Fx@first.example:1,[::1]:77,third.example/chain?sslmode=verify-full&host=/run/pg"
	command := exec.CommandContext(t.Context(), "bash", "-euo", "pipefail", "-c", `. ../../scripts/connection; use_database "$1" "$2"`, "bash", folder, url)
	if output, err := command.CombinedOutput(); err != nil {
		t.Fatalf("got %v, want success\n%s", err, output)
	}
	path := filepath.Join(folder, "service.conf")
	want := `[astrolabe]
sslmode=verify-full
host=/run/pg
host=first.example,::1,third.example
port=1,77,5432
user=us@er
password=p:%w/x
dbname=chain
`
	if diff := cmp.Diff(want, readSource(t, path)); diff != "" {
		t.Errorf("the file (-want +got):\n%s", diff)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("got %v and %v, want the mode 600", info, err)
	}
}
