package sandbox

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"os/signal"
	"runtime"
	"syscall"

	"golang.org/x/sys/unix"
)

// The first argument of this executable when it is the first process of a sandbox, and when it was
// started again to run an entry point.
const (
	initArgument  = "astrolabe-sandbox-init"
	entryArgument = "astrolabe-sandbox-entry"
)

// initPath is where this executable is inside the sandbox.
const initPath = "/mnt/init"

// reportFile is the file descriptor on which the init reports: first the byte initStarted, then the
// reason if it cannot start the program. It is closed before the program runs.
const (
	reportFile  = 7
	initStarted = 's'
)

// initSpec tells the init what to do.
type initSpec struct {
	Entry   string
	Exec    []string
	Env     []string
	Threads int
}

// Reexec must be the first statement of main and of TestMain. If this process was started as the first
// process of a sandbox, it runs the job and does not return. Otherwise it
// returns at once.
func Reexec() {
	reexecuted = true
	if len(os.Args) != 3 || os.Args[1] != initArgument && os.Args[1] != entryArgument {
		return
	}
	var spec initSpec
	if err := json.Unmarshal([]byte(os.Args[2]), &spec); err != nil {
		refuse(fmt.Errorf("reading the job: %w", err))
	}
	if os.Args[1] == entryArgument {
		os.Exit(runEntry(spec))
	}
	if _, err := unix.Write(reportFile, []byte{initStarted}); err != nil {
		refuse(err)
	}
	refuse(execute(spec))
}

// execute replaces this process. No file of the parent stays open except stdin, stdout, stderr and the
// report. It returns only if it fails.
func execute(spec initSpec) error {
	last := uint(math.MaxInt32)
	if spec.Entry != "" {
		// A new process image has no open files besides those that survive exec, whatever the parent left open.
		if err := unix.CloseRange(3, reportFile-1, unix.CLOSE_RANGE_CLOEXEC); err != nil {
			return fmt.Errorf("closing files: %w", err)
		}
		if err := unix.CloseRange(reportFile+1, last, unix.CLOSE_RANGE_CLOEXEC); err != nil {
			return fmt.Errorf("closing files: %w", err)
		}
		err := syscall.Exec(initPath, []string{initPath, entryArgument, os.Args[2]}, spec.Env) //nolint:gosec // the argument was written by command
		return fmt.Errorf("starting %s: %w", initPath, err)
	}
	if err := unix.CloseRange(3, last, unix.CLOSE_RANGE_CLOEXEC); err != nil {
		return fmt.Errorf("closing files: %w", err)
	}
	return fmt.Errorf("starting %s: %w", spec.Exec[0], syscall.Exec(spec.Exec[0], spec.Exec, spec.Env))
}

// runEntry runs a registered function and returns the exit code.
func runEntry(spec initSpec) int {
	entry := entries[spec.Entry]
	if entry == nil {
		refuse(fmt.Errorf("no entry point %q is registered", spec.Entry))
	}
	// Threads count as processes, so a host with many cores must not use up the limit.
	runtime.GOMAXPROCS(min(runtime.GOMAXPROCS(0), spec.Threads))
	exceeded := make(chan os.Signal, 2)
	signal.Notify(exceeded, unix.SIGXCPU, unix.SIGXFSZ)
	go func() {
		if reached, ok := (<-exceeded).(syscall.Signal); ok {
			os.Exit(128 + int(reached))
		}
	}()
	_ = unix.Close(reportFile)
	os.Args = []string{initPath, spec.Entry}
	return entry()
}

// refuse reports why the init cannot run the job.
func refuse(err error) {
	_, _ = unix.Write(reportFile, []byte(err.Error()))
	os.Exit(1)
}
