package sandbox

import (
	"fmt"
	"time"

	"golang.org/x/sys/unix"
)

// rlimit is one resource limit of a process. Programs get a signal at Soft and cannot raise Hard.
type rlimit struct {
	Resource   int
	Soft, Hard uint64
}

// openFiles is how many files a process may have open.
const openFiles = 1024

// rlimits returns the resource limits of a job. Memory and processes are limited here only if no cgroup
// does it: an rlimit bounds each process alone. RLIMIT_DATA counts private writable memory, without the
// address space that runtimes only reserve; the seccomp filter refuses shared anonymous memory, which it
// does not count.
func (s *Sandbox) rlimits(limits Limits) []rlimit {
	set := []rlimit{
		{unix.RLIMIT_CORE, 0, 0},
		{unix.RLIMIT_NOFILE, openFiles, openFiles},
	}
	if !s.without[LimitCPU] {
		seconds := uint64((limits.CPU + time.Second - 1) / time.Second)
		set = append(set, rlimit{unix.RLIMIT_CPU, seconds, seconds + 1})
	}
	if !s.without[LimitFileSize] {
		set = append(set, rlimit{unix.RLIMIT_FSIZE, uint64(limits.FileSize), uint64(limits.FileSize)})
	}
	if s.groups != nil {
		return set
	}
	if !s.without[LimitMemory] {
		set = append(set, rlimit{unix.RLIMIT_DATA, uint64(limits.Memory), uint64(limits.Memory)})
	}
	if !s.without[LimitProcesses] {
		set = append(set, rlimit{unix.RLIMIT_NPROC, uint64(limits.Processes), uint64(limits.Processes)})
	}
	return set
}

// setRlimits applies the limits to this process and its future children.
func setRlimits(set []rlimit) error {
	for _, limit := range set {
		if err := unix.Setrlimit(limit.Resource, &unix.Rlimit{Cur: limit.Soft, Max: limit.Hard}); err != nil {
			return fmt.Errorf("setting rlimit %d to %d: %w", limit.Resource, limit.Hard, err)
		}
	}
	return nil
}
