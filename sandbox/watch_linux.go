package sandbox

import (
	"context"
	"os/exec"
	"runtime"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// watchInterval is how often the processor time and the files of a run are counted.
const watchInterval = 100 * time.Millisecond

// watch observes a run: its output, its time and its cgroup.
type watch struct {
	limits   Limits
	without  map[string]bool
	group    *group
	stdout   []byte
	log      tail
	exceeded chan struct{} // stdout or stderr was longer than the limit
}

// collect makes the command write its output here.
func (w *watch) collect(cmd *exec.Cmd) {
	limit := w.limits.Output
	if w.without[LimitOutput] {
		limit = 1 << 40
	}
	exceeded := func() { w.exceeded <- struct{}{} }
	cmd.Stdout = &output{limit: limit, exceeded: exceeded, keep: func(data []byte) { w.stdout = append(w.stdout, data...) }}
	cmd.Stderr = &output{limit: limit, exceeded: exceeded, keep: w.log.write}
}

// wait waits until the run has ended, and ends it at a limit or with ctx. It returns why it did so; nil
// if the run ended by itself.
func (w *watch) wait(ctx context.Context, p *process) error {
	ended := make(chan struct{})
	go func() {
		// The exit code is in the state of the process; other errors are those of copying the output.
		_ = p.cmd.Wait()
		close(ended)
	}()
	wall := time.NewTimer(w.limits.Wall)
	defer wall.Stop()
	if w.without[LimitWallClock] {
		wall.Stop()
	}
	tick := time.NewTicker(watchInterval)
	defer tick.Stop()
	stop := func(reason error) error {
		p.kill()
		<-ended
		return reason
	}
	for {
		select {
		case <-ended:
			return nil
		case <-ctx.Done():
			return stop(context.Cause(ctx))
		case <-wall.C:
			return stop(&LimitError{LimitWallClock})
		case <-w.exceeded:
			return stop(&LimitError{LimitOutput})
		case <-tick.C:
			if !w.without[LimitCPU] && w.group.cpu() > w.limits.CPU {
				return stop(&LimitError{LimitCPU})
			}
			if !w.without[LimitFiles] && p.files() > w.limits.Files {
				return stop(&LimitError{LimitFiles})
			}
		}
	}
}

// refusals are the texts with which the runtimes of Go, Rust and C report that the kernel refused memory,
// a process or a file, or that they got the signal of a limit. A program may report it for another one that
// it has started.
var refusals = []struct{ text, limit string }{
	{"out of memory", LimitMemory},
	{"annot allocate memory", LimitMemory},
	{"memory allocation of", LimitMemory},
	{"bad_alloc", LimitMemory},
	{"esource temporarily unavailable", LimitProcesses},
	{"failed to create new OS thread", LimitProcesses},
	{"SIGXCPU", LimitCPU},
	{"SIGXFSZ", LimitFileSize},
	{"ile too large", LimitFileSize},
	{"o space left on device", LimitFileSize},
}

// reached returns the limit that explains a failed run; empty if none does.
func (w *watch) reached(result Result) string {
	select {
	case <-w.exceeded:
		return LimitOutput
	default:
	}
	if result.ExitCode == 0 {
		return ""
	}
	switch events := w.group.events(); {
	case events.outOfMemory:
		return LimitMemory
	case result.ExitCode == 128+int(unix.SIGXCPU):
		return LimitCPU
	case result.ExitCode == 128+int(unix.SIGXFSZ):
		return LimitFileSize
	case result.ExitCode == 128+int(unix.SIGKILL) && result.Duration*time.Duration(runtime.NumCPU()) >= w.limits.CPU:
		return LimitCPU // the program ignored SIGXCPU
	case events.tooManyProcesses:
		return LimitProcesses
	}
	return refused(result.LogTail, w.group != nil)
}

// refused returns the limit that the log of a failed program suggests. A cgroup tells by itself whether the
// kernel refused memory or a process; nothing else does.
func refused(log string, cgroup bool) string {
	for _, refusal := range refusals {
		counted := refusal.limit == LimitMemory || refusal.limit == LimitProcesses
		if (!cgroup || !counted) && strings.Contains(log, refusal.text) {
			return refusal.limit
		}
	}
	return ""
}
