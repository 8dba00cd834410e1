package pg

import (
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

// endWithProgram makes the kernel send the signal when the thread that starts
// the command ends, as it does when the program is killed. This stops an idle
// server after a kill -9; correctness does not depend on it.
func endWithProgram(attributes *syscall.SysProcAttr, signal syscall.Signal) {
	attributes.Pdeathsig = signal
}

// serverProcess returns the process if it is a Postgres server on the cluster,
// and nil if it is gone or an unrelated process with the same id. The handle is
// taken before the check, so it cannot refer to another process later.
func serverProcess(pid int, cluster string) *os.Process {
	if pid <= 0 {
		return nil
	}
	process, err := os.FindProcess(pid)
	if err != nil {
		return nil
	}
	if !isServer(pid, cluster) {
		_ = process.Release() // only the handle
		return nil
	}
	return process
}

// isServer decides which processes may be stopped, so three facts must agree:
// the process is called postgres, it belongs to the owner of the cluster, who
// is never root, and its working directory is the cluster.
func isServer(pid int, cluster string) bool {
	proc := filepath.Join("/proc", strconv.Itoa(pid))
	name, err := os.ReadFile(filepath.Join(proc, "comm"))
	if err != nil || strings.TrimSpace(string(name)) != "postgres" {
		return false
	}
	self, errSelf := os.Stat(proc)
	at, errAt := os.Stat(filepath.Join(proc, "cwd")) // fails for a zombie
	want, errWant := os.Stat(cluster)
	if errors.Join(errSelf, errAt, errWant) != nil {
		return false
	}
	owner := ownerOf(self).uid
	return owner != 0 && owner == ownerOf(want).uid && os.SameFile(at, want)
}

// processesIn lists the Postgres processes whose working directory is the
// cluster.
func processesIn(cluster string) []*os.Process {
	entries, _ := os.ReadDir("/proc") // without /proc, Postgres itself detects orphans
	var found []*os.Process
	for _, entry := range entries {
		if pid, err := strconv.Atoi(entry.Name()); err == nil {
			if process := serverProcess(pid, cluster); process != nil {
				found = append(found, process)
			}
		}
	}
	return found
}
