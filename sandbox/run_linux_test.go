package sandbox_test

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"astrolabe/polltest"
	"astrolabe/sandbox"
	"astrolabe/sandbox/sandboxtest"

	"golang.org/x/sys/unix"
)

func init() {
	sandbox.Register("report", func() int {
		for _, variable := range os.Environ() {
			_, _ = os.Stdout.WriteString(variable + "\n")
		}
		_, _ = os.Stderr.WriteString("a log\x1b[31m\n")
		return 7
	})
	sandbox.Register("input", func() int {
		input, _ := os.Readlink("/proc/self/fd/0")
		_, _ = os.Stdout.WriteString(input)
		return 0
	})
	// A worker runs a job that waits, until it is killed.
	sandbox.Register("worker", func() int {
		s, err := sandbox.Unprobed()
		if err == nil {
			_, err = s.Run(context.Background(), sandbox.Job{Entry: "endless_pause", Env: os.Environ(), Limits: attackLimits})
		}
		_, _ = os.Stderr.WriteString(err.Error())
		return 1
	})
	// It does not notice that its files have no other end.
	sandbox.Register("endless_pause", func() int {
		for {
			_ = unix.Pause()
		}
	})
	sandbox.Register("endless_wait", func() int {
		_, _ = os.Stdin.Read(make([]byte, 1))
		return 0
	})
}

func TestRunReturnsExitCodeOutputAndLog(t *testing.T) {
	t.Parallel()
	got, err := sandboxtest.Open(t).Run(t.Context(), sandbox.Job{Entry: "report", Env: []string{"A=1", "B=2"}, Limits: attackLimits})
	if err != nil {
		t.Fatal(err)
	}
	if got.ExitCode != 7 || string(got.Stdout) != "A=1\nB=2\n" || got.LogTail != "a log[31m\n" || got.Duration <= 0 {
		t.Errorf("got %+v with output %q, want exit code 7, the environment and the log", got, got.Stdout)
	}
}

// TestFileIsNotHandedOverAsInput keeps the program from opening a file of the host again.
func TestFileIsNotHandedOverAsInput(t *testing.T) {
	t.Parallel()
	s := sandboxtest.Open(t)
	file, err := os.Open(newHost(t).target.Path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	got, err := s.Run(t.Context(), sandbox.Job{Entry: "input", Stdin: file, Limits: attackLimits})
	if err != nil || !strings.HasPrefix(string(got.Stdout), "pipe:") {
		t.Errorf("got the input %q and %v, want a pipe", got.Stdout, err)
	}
}

// TestExecutableFindsItsLibraries runs a program of the host, which may be linked dynamically.
func TestExecutableFindsItsLibraries(t *testing.T) {
	t.Parallel()
	s := sandboxtest.Open(t)
	cat, err := exec.LookPath("cat")
	if err != nil {
		t.Skip(err)
	}
	if cat, err = filepath.EvalSymlinks(cat); err != nil {
		t.Fatal(err)
	}
	got, err := s.Run(t.Context(), sandbox.Job{
		Exec:   []string{"/opt/cat", "-", "/opt/data/file"},
		Mounts: []sandbox.Mount{{Host: cat, Inside: "/opt/cat"}, {Host: newHost(t).tree, Inside: "/opt/data"}},
		Stdin:  strings.NewReader("input and "),
		Limits: attackLimits,
	})
	if want := "input and " + hostSecret; err != nil || got.ExitCode != 0 || string(got.Stdout) != want {
		t.Errorf("got exit code %d, output %q, log %q, error %v, want %q", got.ExitCode, got.Stdout, got.LogTail, err, want)
	}
}

func TestMissingExecutableIsNoResult(t *testing.T) {
	t.Parallel()
	_, err := sandboxtest.Open(t).Run(t.Context(), sandbox.Job{Exec: []string{"/nothing"}, Limits: attackLimits})
	if err == nil || !strings.Contains(err.Error(), "/nothing: no such file") {
		t.Errorf("got %v, want an error that names the executable", err)
	}
}

func TestMissingMountIsNoResult(t *testing.T) {
	t.Parallel()
	_, err := sandboxtest.Open(t).Run(t.Context(), sandbox.Job{Entry: "report", Mounts: []sandbox.Mount{{Host: "/nonexistent", Inside: "/x"}}, Limits: attackLimits})
	if err == nil || !strings.Contains(err.Error(), "/nonexistent: No such file") {
		t.Errorf("got %v, want an error that names the mount", err)
	}
}

func TestCancelledRunEndsAllProcesses(t *testing.T) {
	t.Parallel()
	s := sandboxtest.Open(t)
	ctx, cancel := context.WithCancelCause(t.Context())
	because := errors.New("the job was cancelled")
	input, output, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer output.Close()
	defer input.Close()
	ended := make(chan error, 1)
	go func() {
		_, err := s.Run(ctx, sandbox.Job{Entry: "endless_sleep", Stdin: input, Env: []string{mark(t)}, Limits: attackLimits})
		ended <- err
	}()
	polltest.Until(t, "the process", func() bool { return len(processesWith(t, mark(t))) > 0 })
	cancel(because)
	_ = output.Close()
	if err := <-ended; !errors.Is(err, because) {
		t.Errorf("got %v, want %v", err, because)
	}
	if left := processesWith(t, mark(t)); len(left) > 0 {
		t.Errorf("got the processes %v, want none", left)
	}
}

// TestSandboxDiesWithItsWorker kills the program that runs a job.
func TestSandboxDiesWithItsWorker(t *testing.T) {
	t.Parallel()
	sandboxtest.Open(t)
	worker := direct(t, "worker", []string{mark(t), "PATH=" + os.Getenv("PATH")})
	var log strings.Builder
	worker.Stderr = &log
	if err := worker.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		for _, process := range processesWith(t, mark(t)) {
			_ = unix.Kill(process, unix.SIGKILL)
		}
	})
	// The worker, bubblewrap, its process inside and the program.
	polltest.Until(t, "four processes", func() bool { return len(processesWith(t, mark(t))) >= 4 })
	_ = worker.Process.Signal(unix.SIGKILL)
	_ = worker.Wait()
	polltest.Equal(t, "processes", 0, func() int { return len(processesWith(t, mark(t))) })
	if log.Len() > 0 {
		t.Errorf("got the log %q, want none", log.String())
	}
}

func TestContradictoryJobsAreRefused(t *testing.T) {
	t.Parallel()
	s := sandboxtest.Open(t)
	for name, job := range map[string]sandbox.Job{
		"no limits":      {Entry: "report"},
		"no program":     {Limits: attackLimits},
		"two programs":   {Entry: "report", Exec: []string{"/x"}, Limits: attackLimits},
		"unknown entry":  {Entry: "unknown", Limits: attackLimits},
		"relative path":  {Exec: []string{"x"}, Limits: attackLimits},
		"relative mount": {Entry: "report", Mounts: []sandbox.Mount{{Host: "x", Inside: "/x"}}, Limits: attackLimits},
		"root mount":     {Entry: "report", Mounts: []sandbox.Mount{{Host: "/", Inside: "/"}}, Limits: attackLimits},
	} {
		if _, err := s.Run(t.Context(), job); err == nil {
			t.Errorf("%s: got no error, want one", name)
		}
	}
}
