package indexed

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// Backfill is the cost of indexing a chain.
type Backfill struct {
	Took time.Duration
	CPU  time.Duration // of the index process
	Peak int           // resident bytes of the index process
}

// Index runs a program on a node and a database, with its own data folder,
// until it has indexed every block up to head. All blocks but the newest are
// backfilled. verify is the level of --verify, which earlier programs ignore.
func (d *Database) Index(ctx context.Context, program, folder, node, verify string, head int) (Backfill, error) {
	running := context.WithoutCancel(ctx) // it is interrupted, not killed
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var messages bytes.Buffer
	command := exec.CommandContext(running, program, "index", "--data", folder, //nolint:gosec // the program to measure
		"--node-main", node, "--finality-depth", "1", "--admin-addr", "", "--log-level", "warn")
	command.Env = append(os.Environ(), "ASTROLABE_DATABASE_URL="+d.URL, "ASTROLABE_VERIFY="+verify)
	command.Stderr = &messages
	began := time.Now()
	if err := command.Start(); err != nil {
		return Backfill{}, err
	}
	ended := make(chan error, 1)
	go func() { ended <- command.Wait(); cancel() }()
	err := d.Await(ctx, head)
	result := Backfill{Took: time.Since(began)}
	if err == nil {
		result.Peak, err = peakMemory(command.Process.Pid)
	}
	_ = command.Process.Signal(syscall.SIGTERM)
	failure := <-ended
	if err = errors.Join(err, failure); err != nil {
		return Backfill{}, fmt.Errorf("the index ended too early: %w: %s", err, messages.String())
	}
	result.CPU = command.ProcessState.UserTime() + command.ProcessState.SystemTime()
	return result, nil
}

// peakMemory returns the most memory that a process had resident, in bytes.
func peakMemory(pid int) (int, error) {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(string(status)) {
		if fields := strings.Fields(line); len(fields) == 3 && fields[0] == "VmHWM:" {
			kilobytes, err := strconv.Atoi(fields[1])
			return kilobytes << 10, err
		}
	}
	return 0, errors.New("the system does not report the peak memory of a process")
}
