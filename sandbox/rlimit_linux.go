package sandbox

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"time"

	"golang.org/x/sys/unix"
)

// rlimit is one resource limit of a process. Programs get a signal at Soft and cannot raise Hard.
type rlimit struct {
	Resource   int
	Soft, Hard uint64
}

// The limits that jobs do not choose.
const (
	// openFiles is how many files a process may have open.
	openFiles = 1024
	// stackSize is the size of the first thread's stack. Others are memory like any other.
	stackSize = 8 << 20
	// addressSpace is how much address space a process may have for each byte of memory. Runtimes reserve
	// more than they use, but reading from it takes a byte of page tables for each 512.
	addressSpace = 16
)

// rlimits returns the resource limits of a job. Memory and processes are limited here only if no cgroup
// does it: an rlimit bounds each process alone. RLIMIT_DATA counts private writable memory, without the
// address space that runtimes only reserve. What it does not count has other bounds: the stack, page tables
// by the address space, and the seccomp filter refuses shared anonymous memory and further stacks.
//
// Bubblewrap copies this executable into the sandbox under these limits, so a file may be as large as it.
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
		size := uint64(max(limits.FileSize, s.executable))
		set = append(set, rlimit{unix.RLIMIT_FSIZE, size, size})
	}
	if s.groups != nil {
		return set
	}
	if !s.without[LimitMemory] {
		space := uint64(addressSpace*limits.Memory) + s.reserved
		set = append(set, rlimit{unix.RLIMIT_DATA, uint64(limits.Memory), uint64(limits.Memory)},
			rlimit{unix.RLIMIT_STACK, stackSize, stackSize}, rlimit{unix.RLIMIT_AS, space, space})
	}
	if !s.without[LimitProcesses] {
		set = append(set, rlimit{unix.RLIMIT_NPROC, uint64(limits.Processes), uint64(limits.Processes)})
	}
	return set
}

// limit applies the limits of a job to the first process inside, before it starts any other: all of them
// inherit the limits, and none can raise them.
func (s *Sandbox) limit(leader int, limits Limits) error {
	return s.asUser(func() error {
		for _, limit := range s.rlimits(limits) {
			if err := unix.Prlimit(leader, limit.Resource, &unix.Rlimit{Cur: limit.Soft, Max: limit.Hard}, nil); err != nil {
				return fmt.Errorf("sandbox: setting rlimit %d to %d: %w", limit.Resource, limit.Hard, err)
			}
		}
		return nil
	})
}

// asUser calls a function while the real user and group of its thread are those of the sandbox. The kernel
// lets a process limit others of its own real user; root would need CAP_SYS_RESOURCE, which containers
// drop. The effective user stays, so that the thread keeps its privileges and can return.
func (s *Sandbox) asUser(act func() error) (err error) {
	if s.user == 0 || s.without[measurePrivileges] {
		return act()
	}
	user, group := os.Getuid(), os.Getgid()
	runtime.LockOSThread()
	defer func() {
		// A thread that cannot return ends with its goroutine, because it stays locked.
		if back := realUser(user, group); back != nil {
			err = errors.Join(err, back)
			return
		}
		runtime.UnlockOSThread()
	}()
	if err := realUser(int(s.user), int(s.user)); err != nil {
		return err
	}
	return act()
}

// realUser changes the real user and group of this thread alone; the functions of unix change all threads.
func realUser(user, group int) error {
	const keep = ^uintptr(0)
	if _, _, failure := unix.RawSyscall(unix.SYS_SETRESGID, uintptr(group), keep, keep); failure != 0 {
		return fmt.Errorf("sandbox: changing the real group: %w", failure)
	}
	if _, _, failure := unix.RawSyscall(unix.SYS_SETRESUID, uintptr(user), keep, keep); failure != 0 {
		return fmt.Errorf("sandbox: changing the real user: %w", failure)
	}
	return nil
}

// ownAddressSpace returns the address space of this process, which the init needs, too.
func ownAddressSpace() (uint64, error) {
	text, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return 0, fmt.Errorf("sandbox: reading the address space: %w", err)
	}
	var pages uint64
	if _, err := fmt.Sscan(string(text), &pages); err != nil {
		return 0, fmt.Errorf("sandbox: reading the address space: %w", err)
	}
	return pages * uint64(os.Getpagesize()), nil
}
