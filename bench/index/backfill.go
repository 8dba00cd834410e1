package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// backfill is what indexing a whole chain took.
type backfill struct {
	took time.Duration
	cpu  time.Duration // of the index process
	peak int           // resident bytes of the index process
}

// index runs the program on a node and an empty database, until it has
// indexed every block up to head. Only the newest block is not history.
func (b *bench) index(ctx context.Context, db *database, node string, head int) (backfill, error) {
	running := context.WithoutCancel(ctx) // it is told to stop, not killed
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var messages bytes.Buffer
	command := exec.CommandContext(running, b.binary, "index", "--data", filepath.Join(b.work, "index"), //nolint:gosec // the program to measure
		"--node-main", node, "--finality-depth", "1", "--admin-addr", "", "--log-level", "warn")
	command.Env = append(os.Environ(), "ASTROLABE_DATABASE_URL="+db.url)
	command.Stderr = &messages
	began := time.Now()
	if err := command.Start(); err != nil {
		return backfill{}, err
	}
	ended := make(chan error, 1)
	go func() { ended <- command.Wait(); cancel() }()
	err := db.await(ctx, head)
	result := backfill{took: time.Since(began)}
	if err == nil {
		result.peak, err = peakMemory(command.Process.Pid)
	}
	_ = command.Process.Signal(syscall.SIGTERM)
	failure := <-ended
	if err = errors.Join(err, failure); err != nil {
		return backfill{}, fmt.Errorf("the index ended too early: %w: %s", err, messages.String())
	}
	result.cpu = command.ProcessState.UserTime() + command.ProcessState.SystemTime()
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
	return 0, errors.New("the system does not tell a process' peak memory")
}
