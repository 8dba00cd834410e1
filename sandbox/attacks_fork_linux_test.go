package sandbox_test

import (
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// forkSleeper starts a copy of this process that waits. It has no other threads, so that it must not use
// the runtime.
//
//go:norace
func forkSleeper() (int, error) {
	id, _, failure := syscall.RawSyscall6(unix.SYS_CLONE, uintptr(unix.SIGCHLD), 0, 0, 0, 0, 0)
	if failure != 0 {
		return 0, failure
	}
	for id == 0 {
		_, _, _ = syscall.RawSyscall6(unix.SYS_PPOLL, 0, 0, 0, 0, 0, 0)
	}
	return int(id), nil
}

// forkSpinner starts a copy of this process that uses 0.7 s of processor time.
//
//go:norace
func forkSpinner() (int, error) {
	id, _, failure := syscall.RawSyscall6(unix.SYS_CLONE, uintptr(unix.SIGCHLD), 0, 0, 0, 0, 0)
	if failure != 0 {
		return 0, failure
	}
	if id != 0 {
		return int(id), nil
	}
	var used unix.Timespec
	for used.Sec == 0 && used.Nsec < 700_000_000 {
		_, _, _ = syscall.RawSyscall6(unix.SYS_CLOCK_GETTIME, unix.CLOCK_PROCESS_CPUTIME_ID, uintptr(unsafe.Pointer(&used)), 0, 0, 0, 0)
	}
	for {
		_, _, _ = syscall.RawSyscall6(unix.SYS_EXIT_GROUP, 0, 0, 0, 0, 0, 0)
	}
}

// fork starts a copy of this process with these flags of clone: one that ends at once, or one that lives
// on with a session of its own and without open files.
//
//go:norace
func fork(flags uintptr, stay bool) error {
	id, _, failure := syscall.RawSyscall6(unix.SYS_CLONE, uintptr(unix.SIGCHLD)|flags, 0, 0, 0, 0, 0)
	if failure != 0 {
		return failure
	}
	if id != 0 {
		return errEscaped
	}
	if !stay {
		for {
			_, _, _ = syscall.RawSyscall6(unix.SYS_EXIT_GROUP, 0, 0, 0, 0, 0, 0)
		}
	}
	_, _, _ = syscall.RawSyscall6(unix.SYS_SETSID, 0, 0, 0, 0, 0, 0)
	for file := range uintptr(3) {
		_, _, _ = syscall.RawSyscall6(unix.SYS_CLOSE, file, 0, 0, 0, 0, 0)
	}
	for {
		_, _, _ = syscall.RawSyscall6(unix.SYS_PPOLL, 0, 0, 0, 0, 0, 0)
	}
}
