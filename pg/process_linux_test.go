package pg

import (
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
)

// run starts a program that only waits, under a name, in a folder, as a user.
func run(t *testing.T, name, dir string, who account) int {
	t.Helper()
	sleep, err := exec.LookPath("sleep")
	if err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(openFolder(t), name)
	if err := os.Symlink(sleep, link); err != nil {
		t.Fatal(err)
	}
	cmd := who.command(t.Context(), link, "60")
	cmd.Args[0] = "sleep"
	cmd.Dir = dir
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	return cmd.Process.Pid
}

// openFolder returns a temporary folder that every user can enter.
func openFolder(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for _, path := range []string{dir, filepath.Dir(dir)} {
		if err := os.Chmod(path, 0o711); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// The test only inspects processes: it ends none that it did not start.
func TestOnlyAPostgresProcessOfTheOwnerInTheFolderIsItsServer(t *testing.T) {
	t.Parallel()
	who, err := chooseAccount("")
	if err != nil {
		t.Fatal(err)
	}
	cluster, elsewhere := openFolder(t), openFolder(t)
	for _, dir := range []string{cluster, elsewhere} {
		if err := who.own(dir); err != nil {
			t.Fatal(err)
		}
	}
	server := run(t, "postgres", cluster, who)
	strangers := map[string]int{
		"another name":      run(t, "photoshop", cluster, who),
		"another folder":    run(t, "postgres", elsewhere, who),
		"the test itself":   os.Getpid(),
		"the first process": 1,
		"no process":        0,
		"a negative number": -1,
	}
	if os.Geteuid() == 0 {
		strangers["another user"] = run(t, "postgres", cluster, account{uid: who.uid + 1, gid: who.gid + 1, drop: true})
		strangers["root"] = run(t, "postgres", cluster, account{})
	}
	if serverProcess(server, cluster) == nil {
		t.Error("got no server process, want the server")
	}
	for what, pid := range strangers {
		if serverProcess(pid, cluster) != nil {
			t.Errorf("got %s as the server, want none", what)
		}
	}
	if found := processesIn(cluster); len(found) != 1 || found[0].Pid != server {
		t.Errorf("got the processes %v, want only %d", found, server)
	}
	if err := syscall.Kill(server, syscall.SIGKILL); err != nil { // a zombie until the cleanup waits
		t.Fatal(err)
	}
	if !poll(t.Context(), killPatience, func() bool { return serverProcess(server, cluster) == nil }) {
		t.Error("got an ended process as the server, want none")
	}
}
