package child

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os/exec"
	"syscall"
	"time"
)

// Child is a command that runs as a process of its own.
type Child struct {
	Name string   // in the log
	Path string   // of the executable
	Args []string // without the executable
	// Env is the whole environment. Nothing of the program's own is added.
	Env    []string
	Logger *slog.Logger
	// Grace is how long the child may take to stop after SIGTERM. Then it is
	// killed. 0 means 10 s.
	Grace time.Duration

	pause func(failures int) time.Duration // before a restart; nil means restartPause
}

const usualGrace = 10 * time.Second

// steady is how long a child must run for its next failure to count as the
// first.
const steady = time.Minute

// restartPause returns the pause before a restart: 1 s, doubled with every failure
// in a row up to a minute.
func restartPause(failures int) time.Duration {
	return min(time.Second<<min(failures-1, 6), time.Minute)
}

// Run keeps the child running until ctx ends, and returns when the child and
// everything in its process group are gone. A child that cannot be started or
// dies is logged and started again.
func (c Child) Run(ctx context.Context) error {
	pause := c.pause
	if pause == nil {
		pause = restartPause
	}
	failures, wait := 0, time.Duration(0)
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(wait):
		}
		began := time.Now()
		ended := c.runOnce(ctx)
		if time.Since(began) >= steady {
			failures = 0
		}
		failures++
		if ctx.Err() == nil {
			wait = pause(failures)
			c.Logger.Error("a child process ended; restarting it", "child", c.Name, "error", ended, "after", wait)
		}
	}
}

// runOnce runs the child until it dies, or until it has stopped after the end of
// ctx.
func (c Child) runOnce(ctx context.Context) error {
	cmd := exec.CommandContext(ctx, c.Path, c.Args...)
	cmd.Env = append([]string{}, c.Env...) // nil would inherit the program's
	output := &lines{logger: c.Logger.With("child", c.Name)}
	cmd.Stdout, cmd.Stderr = output, output
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.WaitDelay = cmp.Or(c.Grace, usualGrace)
	// In a process group of its own, Ctrl-C in a terminal reaches only the
	// program, which stops its parts in order.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	ended := make(chan error)
	go func() { ended <- supervise(cmd) }()
	err := <-ended
	output.flush()
	if err == nil {
		return errors.New("it exited with code 0, although it should run until it is stopped")
	}
	return fmt.Errorf("run %s: %w", c.Name, err)
}
