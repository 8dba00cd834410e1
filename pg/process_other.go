//go:build !linux

package pg

import (
	"context"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
)

// endWithProgram has no equivalent here: the next start stops the server.
func endWithProgram(*syscall.SysProcAttr, syscall.Signal) {}

// serverProcess returns the process if it is a Postgres server that was started
// on the cluster, and nil if it is gone or unrelated.
func serverProcess(pid int, cluster string) *os.Process {
	if pid <= 0 {
		return nil
	}
	command, err := exec.CommandContext(context.Background(), "ps", "-ww", "-p", strconv.Itoa(pid), "-o", "command=").Output()
	if err != nil || !strings.Contains(string(command), "postgres -D "+cluster+" ") {
		return nil
	}
	process, err := os.FindProcess(pid)
	if err != nil {
		return nil
	}
	return process
}

// processesIn returns nothing: Postgres itself refuses to start next to
// orphans.
func processesIn(string) []*os.Process { return nil }
