package child

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// run runs a child until the returned function is called, which also waits for
// Run to return.
func run(t *testing.T, c Child) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- c.Run(ctx) }()
	stop = sync.OnceFunc(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Errorf("got %v, want a stop without an error", err)
		}
	})
	t.Cleanup(stop)
	return stop
}

func TestChildDiesWithAKilledProgram(t *testing.T) {
	t.Parallel()
	registry := newRegistry(t)
	program := exec.Command(os.Args[0])
	program.Env = []string{roleVariable + "=program", socketVariable + "=" + registry.socket}
	if err := program.Start(); err != nil {
		t.Fatal(err)
	}
	child := registry.next()
	if err := child.echo(); err != nil {
		t.Errorf("before the kill: got %v, want a response", err)
	}
	if err := program.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = program.Wait() // it was killed
	child.gone("after a kill -9 of the program")
}

// The kernel ties a child to the thread that started it, not to the program.
func TestChildSurvivesTheEndOfOtherThreads(t *testing.T) {
	t.Parallel()
	registry := newRegistry(t)
	run(t, testChild(registry.socket, "polite"))
	child := registry.next()
	var threads sync.WaitGroup
	for range 50 {
		threads.Go(func() { runtime.LockOSThread() }) // the thread ends with its goroutine
	}
	threads.Wait()
	if err := child.echo(); err != nil {
		t.Errorf("got %v, want a response", err)
	}
}

func TestChildHasOnlyTheListedEnvironment(t *testing.T) {
	t.Parallel()
	registry := newRegistry(t)
	c := testChild(registry.socket, "polite")
	run(t, c)
	if diff := cmp.Diff(c.Env, registry.next().Env); diff != "" {
		t.Errorf("environment of the child (-want +got):\n%s", diff)
	}
}

func TestChildWithoutAListedEnvironmentHasNone(t *testing.T) {
	t.Parallel()
	var log record
	ctx, cancel := context.WithCancel(t.Context())
	err := Child{Name: "env", Path: "env", Logger: slog.New(slog.NewTextHandler(&log, nil)), pause: func(int) time.Duration {
		cancel()
		return 0
	}}.Run(ctx)
	if err != nil || !strings.Contains(log.String(), "code 0") || strings.Contains(log.String(), "line=") {
		t.Errorf("got %v and the log %s, want that env ended and printed nothing", err, log.String())
	}
}

func TestChildThatDiesIsStartedAgain(t *testing.T) {
	t.Parallel()
	registry := newRegistry(t)
	c := testChild(registry.socket, "polite")
	var log record
	c.Logger = slog.New(slog.NewTextHandler(&log, nil))
	var failures []int
	c.pause = func(count int) time.Duration {
		failures = append(failures, count)
		return 0
	}
	stop := run(t, c)
	for range 3 {
		child := registry.next()
		if err := syscall.Kill(child.Pid, syscall.SIGKILL); err != nil {
			t.Fatal(err)
		}
		child.gone("after its kill")
	}
	last := registry.next()
	stop()
	last.gone("after the stop")
	if diff := cmp.Diff([]int{1, 2, 3}, failures); diff != "" {
		t.Errorf("failures in a row (-want +got):\n%s", diff)
	}
	if want := `child=polite error="run polite: signal: killed"`; strings.Count(log.String(), want) != 3 {
		t.Errorf("got the log %s, want %s three times", log.String(), want)
	}
}

func TestRestartsWaitLongerWithEachFailureUpToAMinute(t *testing.T) {
	t.Parallel()
	var got []time.Duration
	for _, failures := range []int{1, 2, 3, 6, 7, 8, 1000} {
		got = append(got, restartPause(failures))
	}
	want := []time.Duration{time.Second, 2 * time.Second, 4 * time.Second, 32 * time.Second, time.Minute, time.Minute, time.Minute}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("pauses (-want +got):\n%s", diff)
	}
}

func TestStopIsSIGTERM(t *testing.T) {
	t.Parallel()
	registry := newRegistry(t)
	c := testChild(registry.socket, "polite")
	var log record
	c.Logger = slog.New(slog.NewTextHandler(&log, nil))
	stop := run(t, c)
	child := registry.next()
	stop()
	child.gone("after the stop")
	if !strings.Contains(log.String(), `child=polite line=goodbye`) {
		t.Errorf("got the log %s, want the last words of the child", log.String())
	}
}

func TestChildThatIgnoresSIGTERMIsKilled(t *testing.T) {
	t.Parallel()
	registry := newRegistry(t)
	c := testChild(registry.socket, "stubborn")
	c.Grace = 50 * time.Millisecond
	stop := run(t, c)
	child := registry.next()
	stop()
	child.gone("after the grace period")
}

func TestProcessesOfADeadChildAreKilled(t *testing.T) {
	t.Parallel()
	registry := newRegistry(t)
	stop := run(t, testChild(registry.socket, "crashing"))
	first := registry.next()
	first.gone("after the crash of the process that started it")
	second := registry.next() // of the restarted child
	stop()
	second.gone("after the stop")
}

func TestProgramThatCannotBeStartedIsLoggedAndTriedAgain(t *testing.T) {
	t.Parallel()
	c := testChild("", "absent")
	c.Path = "/absent/program"
	ctx, cancel := context.WithCancelCause(t.Context())
	tries := 0
	c.pause = func(int) time.Duration {
		if tries++; tries == 3 {
			cancel(errors.New("enough"))
		}
		return 0
	}
	if err := c.Run(ctx); err != nil || tries != 3 {
		t.Errorf("got %v after %d tries, want 3 tries", err, tries)
	}
}

func TestLinesOfAChildKeepTheirLevel(t *testing.T) {
	t.Parallel()
	var log record
	output := &lines{logger: slog.New(slog.NewTextHandler(&log, nil)).With("child", "build")}
	long := strings.Repeat("x", 2*longestLine)
	for _, part := range []string{
		`{"time":"2026-11-16T18:00:00Z","level":"ERROR","msg":"could not build","job":"vrf_1","size":12345678901234567890,"database":{"port":5432,"host":"x"}}` + "\n",
		`{"time":"2026-11-16T18:00:00Z","level":"DEBUG","msg":"hidden"}` + "\n\npanic: ", "oh no\n", long, "\n", "the end",
	} {
		if n, err := output.Write([]byte(part)); n != len(part) || err != nil {
			t.Fatalf("got %d and %v, want %d", n, err, len(part))
		}
	}
	output.flush()
	got := strings.Split(strings.TrimSpace(log.String()), "\n")
	for i, want := range []string{
		`time=2026-11-16T18:00:00.000Z level=ERROR msg="could not build" child=build database.host=x database.port=5432 job=vrf_1 size=12345678901234567890`,
		`level=WARN msg="a child process printed a line" child=build line="panic: oh no"`,
		`child=build line=` + long[:longestLine],
		`child=build line="the end"`,
	} {
		if i >= len(got) || !strings.HasSuffix(got[i], want) {
			t.Errorf("line %d: got %q, want %q at the end", i, got, want)
		}
	}
}

func FuzzLinesOfAChild(f *testing.F) {
	f.Add([]byte(`{"time":"2026-11-16T18:00:00Z","level":"INFO","msg":"m","a":{"b":[1,null]}}`))
	f.Add([]byte(`{"time":"2026-11-16T18:00:00Z","level":"INFO","msg":"m"}]`))
	f.Fuzz(func(t *testing.T, line []byte) {
		if _, ok := parse(line); ok && !json.Valid(line) {
			t.Errorf("got a record of %q, want none", line)
		}
	})
}
