package pg

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"syscall"
	"time"
)

// stopLeftover stops the server that a killed program left running. It is not
// adopted, because it runs with old settings, its log goes nowhere, and its
// exit could not be waited for. The caller holds the lock of the folder, so no
// running program depends on it.
func stopLeftover(ctx context.Context, cluster string, log *slog.Logger) error {
	file, err := readPIDFile(cluster)
	if errors.Is(err, fs.ErrNotExist) {
		return nil // a clean shutdown removes it
	}
	if err != nil {
		return fmt.Errorf("look for a running server: %w", err)
	}
	if server := serverProcess(file.pid, cluster); server != nil {
		log.Info("stopping a Postgres server left by an earlier run", "pid", file.pid)
		gone := func() bool { return serverProcess(file.pid, cluster) == nil }
		if !shutDown(ctx, server, gone) {
			return fmt.Errorf("the Postgres server of an earlier run (process %d) does not stop", file.pid)
		}
	}
	if err := killOrphans(ctx, cluster); err != nil {
		return err
	}
	return forgetStranger(cluster)
}

// killOrphans kills server processes whose postmaster is gone. They would
// prevent the next server from starting.
func killOrphans(ctx context.Context, cluster string) error {
	for _, orphan := range processesIn(cluster) {
		_ = orphan.Kill() // it may have exited meanwhile
	}
	if !poll(ctx, 10*time.Second, func() bool { return len(processesIn(cluster)) == 0 }) {
		return fmt.Errorf("processes of an earlier Postgres server in %s do not exit", cluster)
	}
	return nil
}

// forgetStranger removes a postmaster.pid whose process id now belongs to an
// unrelated program, as happens after a reboot. Postgres would mistake that
// program for a running server and refuse to start.
func forgetStranger(cluster string) error {
	file, err := readPIDFile(cluster)
	if err == nil && file.pid != 0 && !errors.Is(syscall.Kill(file.pid, 0), syscall.ESRCH) {
		err = os.Remove(pidFilePath(cluster))
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("remove a stale postmaster.pid: %w", err)
	}
	return nil
}
