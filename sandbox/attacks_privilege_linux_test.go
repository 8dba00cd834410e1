package sandbox_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"

	"astrolabe/sandbox"

	"golang.org/x/sys/unix"
)

// useCapability opens a file that its mode forbids, which needs CAP_DAC_OVERRIDE.
func useCapability(target) error {
	if err := os.WriteFile("/tmp/closed", nil, 0); err != nil {
		return err
	}
	file, err := os.Open("/tmp/closed")
	if err != nil {
		return err
	}
	_ = file.Close()
	return errEscaped
}

// runSetuid runs this program from a file that belongs to root and has the setuid bit.
func runSetuid(t target) error {
	cmd := exec.Command(t.Path, sandbox.EntryArgument, `{"Entry":"effective_user","Threads":1}`)
	cmd.Stdin = strings.NewReader("{}")
	output, err := cmd.CombinedOutput()
	if exit := new(exec.ExitError); errors.As(err, &exit) && exit.ExitCode() == exitEscaped {
		return errEscaped
	}
	return fmt.Errorf("%s: %w", bytes.TrimSpace(output), err)
}

func reportUser(target) error {
	if os.Geteuid() == 0 || os.Geteuid() != os.Getuid() {
		return errEscaped
	}
	return fmt.Errorf("user %d", os.Geteuid())
}

func newNamespace(target) error { return fork(unix.CLONE_NEWUSER, false) }

// trace attaches to a process that this one has started.
func trace(target) error {
	child, err := forkSleeper()
	if err != nil {
		return err
	}
	defer unix.Kill(child, unix.SIGKILL)
	if err := unix.PtraceAttach(child); err != nil {
		return err
	}
	return errEscaped
}

// changeInit opens the memory of the first process for writing.
func changeInit(target) error {
	file, err := os.OpenFile("/proc/1/mem", os.O_RDWR, 0)
	if err != nil {
		return err
	}
	_ = file.Close()
	return errEscaped
}

// limitOthers changes a limit of its parent, which is the first process.
func limitOthers(target) error {
	if err := unix.Prlimit(os.Getppid(), unix.RLIMIT_NOFILE, &unix.Rlimit{}, nil); err != nil {
		return err
	}
	return errEscaped
}

// callRefused makes system calls that only the filter refuses here.
func callRefused(target) error {
	return firstSuccess(
		func() error { _, err := unix.MemfdCreate("x", 0); return err },
		func() error { _, err := unix.KeyctlGetKeyringID(unix.KEY_SPEC_SESSION_KEYRING, true); return err },
		func() error { return refusedCall(unix.SYS_BPF) },
		func() error { return refusedCall(unix.SYS_PERF_EVENT_OPEN) },
		func() error { return refusedCall(unix.SYS_USERFAULTFD) },
		func() error { return refusedCall(unix.SYS_IO_URING_SETUP) },
		func() error { return refusedCall(unix.SYS_PERSONALITY) },
		func() error { return refusedCall(unix.SYS_MOUNT) },
		func() error { return refusedCall(unix.SYS_SETNS) },
		func() error { return refusedCall(unix.SYS_UNSHARE) },
		func() error { return refusedCall(unix.SYS_PROCESS_VM_READV) },
		func() error { return refusedCall(unix.SYS_INIT_MODULE) },
		func() error { return refusedCall(unix.SYS_KEXEC_LOAD) },
		func() error { return refusedCall(unix.SYS_SHMGET) },
		func() error { return refusedCall(unix.SYS_SOCKET) },
		func() error { return refusedCall(unix.SYS_SETUID) },
	)
}

// refusedCall returns an error only if a system call without arguments fails with EPERM.
func refusedCall(number uintptr) error {
	if _, _, err := unix.Syscall6(number, 0, 0, 0, 0, 0, 0); err == unix.EPERM {
		return err
	}
	return nil
}

// shareMemory uses memory that rlimits do not count.
func shareMemory(target) error {
	block, err := unix.Mmap(-1, 0, bombMemory, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED|unix.MAP_ANON)
	if err != nil {
		return err
	}
	touch(block)
	return errEscaped
}

// growMemory uses memory that RLIMIT_DATA takes for a stack.
func growMemory(target) error {
	block, err := unix.Mmap(-1, 0, bombMemory, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANON|unix.MAP_GROWSDOWN)
	if err != nil {
		return err
	}
	touch(block)
	return errEscaped
}

// raiseStack makes room for a stack that is larger than the memory.
func raiseStack(target) error {
	var limit unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_STACK, &limit); err != nil {
		return err
	}
	limit.Cur = bombMemory
	if err := unix.Setrlimit(unix.RLIMIT_STACK, &limit); err != nil {
		return err
	}
	return errEscaped
}

// reserveAddresses maps memory to read from. Reading all of it would fill more page tables than there may be
// memory.
func reserveAddresses(target) error {
	block, err := unix.Mmap(-1, 0, 512*bombMemory, unix.PROT_READ, unix.MAP_PRIVATE|unix.MAP_ANON|unix.MAP_NORESERVE)
	if err != nil {
		return err
	}
	_ = block[len(block)-1]
	return errEscaped
}

func killProcess(t target) error {
	if err := unix.Kill(t.Process, unix.SIGKILL); err != nil {
		return err
	}
	return errEscaped
}

// killAll signals every process that it can reach, and its parent.
func killAll(target) error {
	return errors.Join(errors.New("signalled"), unix.Kill(-1, unix.SIGKILL), unix.Kill(os.Getppid(), unix.SIGKILL))
}

// outlive leaves a process of its own session behind, without open files. The host finds out whether it
// lives on.
func outlive(target) error {
	if err := fork(0, true); !errors.Is(err, errEscaped) {
		return err
	}
	return errors.New("left a process behind")
}
