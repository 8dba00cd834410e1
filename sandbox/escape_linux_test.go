package sandbox_test

import (
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"astrolabe/sandbox"
	"astrolabe/sandbox/sandboxtest"

	"golang.org/x/sys/unix"
)

// attackLimits are small, so that attacks on them end soon.
var attackLimits = sandbox.Limits{CPU: time.Second, Wall: time.Minute, Memory: 256 << 20, Processes: 48, FileSize: 8 << 20, Files: 4 << 10, Output: 1 << 20}

// escape is an attack from inside, and the measures that stop it.
type escape struct {
	attack string
	// limit is the limit that ends the attack; empty if a system call is refused.
	limit string
	// without lists the measures that must be disabled for the attack to succeed; nil if the attack is
	// shown to succeed outside of the sandbox instead.
	without []string
	// rootOnly attacks need a parent that runs as root.
	rootOnly bool
	// rlimit attacks use what a cgroup counts, but rlimits bound by other means.
	rlimit bool
	// prepare prepares the host.
	prepare func(*testing.T, *host)
	// wall is the limit of time, if it is not that of attackLimits.
	wall time.Duration
}

var escapes = []escape{
	{attack: "loopback", without: []string{"network"}, prepare: func(t *testing.T, h *host) { h.target.Address = listen(t, "tcp", "127.0.0.1:0") }},
	{attack: "name_server", without: []string{"network"}, prepare: func(t *testing.T, h *host) { h.target.Address = answer(t) }},
	{attack: "abstract_socket", without: []string{"network"}, prepare: func(t *testing.T, h *host) { h.target.Address = listen(t, "unix", "@"+mark(t)) }},
	{attack: "unix_socket", without: []string{"network"}, prepare: func(t *testing.T, h *host) {
		listen(t, "unix", filepath.Join(h.tree, "s"))
		h.target.Address = "/mnt/tree/s"
	}},
	{attack: "write_outside", without: []string{"filesystem"}, prepare: func(_ *testing.T, h *host) { h.target.Path = filepath.Join(h.folder, "open", "new") }},
	{attack: "read_file", without: []string{"filesystem"}},
	{attack: "read_private_file", without: []string{"filesystem", "privileges"}, prepare: func(_ *testing.T, h *host) { h.target.Path = filepath.Join(h.folder, "private") }},
	{attack: "read_mounted", without: []string{"privileges"}, rootOnly: true},
	{attack: "read_shadow", without: []string{"filesystem", "privileges"}, rootOnly: true},
	{attack: "symlink_race", without: []string{"filesystem"}},
	{attack: "environment", without: []string{"environment"}},
	{attack: "open_files", prepare: func(t *testing.T, h *host) { leak(t, h.target.Path) }},
	{attack: "process_list", without: []string{"process_tree"}, prepare: func(t *testing.T, h *host) { h.target.Process = victim(t) }},
	{attack: "process_secrets", prepare: func(t *testing.T, h *host) { h.target.Process = victim(t) }},
	{attack: "kill_process", without: []string{"process_tree"}, prepare: func(t *testing.T, h *host) { h.target.Process = victim(t) }},
	{attack: "init_memory", without: []string{"init"}},
	{attack: "limit_others", without: []string{"seccomp"}},
	{attack: "outlive", without: []string{"process_tree"}},
	{attack: "capability", without: []string{"privileges"}},
	{attack: "setuid", rootOnly: true, prepare: plantSetuid},
	{attack: "namespace", without: []string{"seccomp"}},
	{attack: "ptrace", without: []string{"seccomp"}},
	{attack: "refused_calls", without: []string{"seccomp"}},
	{attack: "shared_memory", without: []string{"seccomp", "memory"}},
	{attack: "growing_memory", without: []string{"seccomp", "memory"}},
	{attack: "large_stack", without: []string{"memory"}, rlimit: true},
	{attack: "page_tables", limit: "memory", without: []string{"memory"}, rlimit: true},
	{attack: "many_files", limit: "file_size", without: []string{"file_size"}},
	{attack: "large_file", limit: "file_size", without: []string{"file_size"}},
	{attack: "empty_files", limit: "files", without: []string{"files"}},
	{attack: "fork_bomb", limit: "processes", without: []string{"processes"}},
	{attack: "memory_bomb", limit: "memory", without: []string{"memory"}},
	{attack: "endless_loop", limit: "cpu", without: []string{"cpu"}},
	{attack: "endless_sleep", limit: "wall_clock", without: []string{"wall_clock"}, wall: 300 * time.Millisecond},
	{attack: "endless_stdout", limit: "output", without: []string{"output"}},
	{attack: "endless_stderr", limit: "output", without: []string{"output"}},
}

// plantSetuid puts a program of root with the setuid bit into the mounted tree.
func plantSetuid(t *testing.T, h *host) {
	t.Helper()
	path := filepath.Join(h.tree, "setuid")
	if err := os.Rename(executable(t), path); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(path, 0o755|os.ModeSetuid); err != nil {
		t.Fatal(err)
	}
	h.target.Path = "/mnt/tree/setuid"
}

// outcome is how an attack ended.
type outcome struct {
	sandbox.Result
	err     error
	escaped bool
}

// run runs an attack in a sandbox without the named measures.
func (e escape) run(t *testing.T, without ...string) outcome {
	t.Helper()
	s, err := sandbox.Unprobed(without...)
	if err != nil {
		t.Fatal(err)
	}
	h := newHost(t)
	if e.prepare != nil {
		e.prepare(t, h)
	}
	aim, err := json.Marshal(h.target)
	if err != nil {
		t.Fatal(err)
	}
	limits := attackLimits
	if e.wall > 0 {
		limits.Wall = e.wall
	}
	name := strings.Replace(e.attack, "_private_file", "_file", 1)
	result, err := s.Run(t.Context(), sandbox.Job{
		Entry:  name,
		Mounts: []sandbox.Mount{{Host: h.tree, Inside: "/mnt/tree"}},
		Stdin:  strings.NewReader(string(aim)),
		Env:    []string{mark(t)},
		Limits: limits,
	})
	result.LogTail = result.LogTail[:min(len(result.LogTail), 300)]
	left := processesWith(t, mark(t))
	for _, process := range left {
		_ = unix.Kill(process, unix.SIGKILL)
	}
	return outcome{result, err, len(left) > 0 || err == nil && result.ExitCode == exitEscaped}
}

// contained fails the test unless the attack was stopped as it should be.
func (e escape) contained(t *testing.T, got outcome) {
	t.Helper()
	var limit *sandbox.LimitError
	switch {
	case got.escaped:
		t.Errorf("got an escape (exit code %d, error %v, log %q), want containment", got.ExitCode, got.err, got.LogTail)
	case e.limit != "" && (!errors.As(got.err, &limit) || limit.Limit != e.limit):
		t.Errorf("got exit code %d, error %v, log %q, want the limit %s", got.ExitCode, got.err, got.LogTail, e.limit)
	case e.limit == "" && (got.err != nil || got.ExitCode != exitContained):
		t.Errorf("got exit code %d, error %v, log %q, want a refusal", got.ExitCode, got.err, got.LogTail)
	}
}

// each runs a subtest for each escape that applies to this user.
func each(t *testing.T, test func(*testing.T, escape)) {
	t.Helper()
	sandboxtest.Open(t)
	for _, e := range escapes {
		t.Run(e.attack, func(t *testing.T) {
			t.Parallel()
			if e.rootOnly && os.Getuid() != 0 {
				t.Skip("this attack needs a parent that runs as root")
			}
			test(t, e)
		})
	}
}

func TestAttackIsContained(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, e escape) {
		if !e.rlimit {
			e.contained(t, e.run(t))
		}
	})
}

// TestAttackSucceedsWithoutItsMeasure shows that each measure stops its attacks: without it they succeed.
func TestAttackSucceedsWithoutItsMeasure(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, e escape) {
		if e.without == nil {
			e.succeedsOutside(t)
			return
		}
		if got := e.run(t, e.without...); !got.escaped {
			t.Errorf("without %s: got exit code %d, error %v, log %q, want an escape", strings.Join(e.without, ", "), got.ExitCode, got.err, got.LogTail)
		}
	})
}

// succeedsOutside runs the attack as a plain process.
func (e escape) succeedsOutside(t *testing.T) {
	t.Helper()
	h := newHost(t)
	e.prepare(t, h)
	h.target.Path = strings.Replace(h.target.Path, "/mnt/tree", h.tree, 1)
	aim, err := json.Marshal(h.target)
	if err != nil {
		t.Fatal(err)
	}
	cmd := direct(t, e.attack, nil)
	cmd.Stdin = strings.NewReader(string(aim))
	if os.Getuid() == 0 {
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: sandbox.DefaultUser, Gid: sandbox.DefaultUser}}
	}
	log, _ := cmd.CombinedOutput()
	if got := cmd.ProcessState.ExitCode(); got != exitEscaped {
		t.Errorf("outside of the sandbox: got exit code %d, log %q, want %d", got, log, exitEscaped)
	}
}

// TestLimitsHoldWithoutCgroups runs the attacks on limits, and on what only the filter keeps from
// bypassing them, on a host whose cgroups are not writable.
func TestLimitsHoldWithoutCgroups(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, e escape) {
		if !slices.Contains([]string{"cpu", "memory", "processes"}, e.limit) && !slices.Contains(e.without, "memory") {
			return // no cgroup is involved
		}
		e.contained(t, e.run(t, "cgroup"))
		if got := e.run(t, append([]string{"cgroup"}, e.without...)...); !got.escaped {
			t.Errorf("without %s: got exit code %d, error %v, log %q, want an escape", strings.Join(e.without, ", "), got.ExitCode, got.err, got.LogTail)
		}
	})
}

// TestProgramThatIgnoresTheSignalOfItsLimitIsKilled uses rlimits, with which the kernel warns first.
func TestProgramThatIgnoresTheSignalOfItsLimitIsKilled(t *testing.T) {
	t.Parallel()
	sandboxtest.Open(t)
	e := escape{attack: "stubborn_loop", limit: "cpu"}
	e.contained(t, e.run(t, "cgroup"))
}

// TestProcessorTimeOfAllProcessesIsLimitedByCgroups shows what an rlimit cannot do.
func TestProcessorTimeOfAllProcessesIsLimitedByCgroups(t *testing.T) {
	t.Parallel()
	sandboxtest.Open(t)
	s, err := sandbox.Unprobed()
	if err != nil {
		t.Fatal(err)
	}
	if !s.HasCgroups() {
		t.Skip("cgroups are not writable here")
	}
	e := escape{attack: "many_loops", limit: "cpu"}
	e.contained(t, e.run(t))
	if got := e.run(t, "cgroup"); !got.escaped {
		t.Errorf("without cgroups: got exit code %d, error %v, want an escape", got.ExitCode, got.err)
	}
}

// TestSignalsDoNotReachTheWorker signals every process and the parent from inside.
func TestSignalsDoNotReachTheWorker(t *testing.T) {
	t.Parallel()
	sandboxtest.Open(t)
	e := escape{attack: "kill_all"}
	e.contained(t, e.run(t))
}

// unprivileged is a user id that is not that of the sandbox.
const unprivileged = 65532

// TestAttacksAreContainedForUnprivilegedWorkers runs the escape suite again, with a parent that is not root.
func TestAttacksAreContainedForUnprivilegedWorkers(t *testing.T) {
	t.Parallel()
	sandboxtest.Open(t)
	if os.Getuid() != 0 {
		t.Skip("this test program is not root: the other tests show it")
	}
	program := executable(t)
	// The names of unix sockets are short, so the folder's is, too.
	temporary, err := os.MkdirTemp("/tmp", "s")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(temporary) })
	if err := os.Chmod(temporary, 0o777); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(program, "-test.v", "-test.run", "^(TestAttackIsContained|TestAttackSucceedsWithoutItsMeasure|TestSignalsDoNotReachTheWorker|TestHostIsSufficient)$")
	cmd.Dir = temporary
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "TMPDIR=" + temporary, "ASTROLABE_REQUIRE_SANDBOX=" + os.Getenv("ASTROLABE_REQUIRE_SANDBOX")}
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: unprivileged, Gid: unprivileged}}
	output, err := cmd.CombinedOutput()
	if err != nil {
		t.Errorf("as user %d: got %v, want success:\n%s", unprivileged, err, output)
	}
	t.Logf("%d attacks ended as they should as user %d", strings.Count(string(output), "--- PASS: Test"), unprivileged)
}
