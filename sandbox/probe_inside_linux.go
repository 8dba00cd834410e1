package sandbox

import (
	"encoding/json"
	"fmt"
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// probeInspect is the entry point that reports an inspection.
const probeInspect = "astrolabe-sandbox-inspect"

// limitProbes are the entry points that exceed each limit.
var limitProbes = map[string]string{
	LimitCPU:       "astrolabe-sandbox-cpu",
	LimitMemory:    "astrolabe-sandbox-memory",
	LimitProcesses: "astrolabe-sandbox-processes",
	LimitFileSize:  "astrolabe-sandbox-file-size",
	LimitFiles:     "astrolabe-sandbox-files",
	LimitWallClock: "astrolabe-sandbox-wall-clock",
}

// refusedText is the error of a system call that the seccomp filter refuses.
var refusedText = unix.EPERM.Error()

func init() {
	Register(probeInspect, inspect)
	Register(limitProbes[LimitCPU], func() int {
		// A limit that does not hold must not make the probe endless.
		for used := (unix.Rusage{}); time.Duration(used.Utime.Nano()+used.Stime.Nano()) < 3*probeLimits.CPU; {
			_ = unix.Getrusage(unix.RUSAGE_SELF, &used)
		}
		return 0
	})
	Register(limitProbes[LimitMemory], func() int {
		block, err := unix.Mmap(-1, 0, int(2*probeLimits.Memory), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANON)
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		for i := 0; i < len(block); i += os.Getpagesize() {
			block[i] = 1
		}
		return 0
	})
	Register(limitProbes[LimitProcesses], forkPastLimit)
	Register(limitProbes[LimitFileSize], func() int {
		_ = os.WriteFile("/tmp/large", nil, 0o600) //nolint:gosec // this /tmp is not shared
		if err := os.Truncate("/tmp/large", 2*probeLimits.FileSize); err != nil {
			time.Sleep(time.Second) // until the signal has ended the program
			return 1
		}
		return 0
	})
	Register(limitProbes[LimitFiles], func() int {
		for i := range 2 * probeLimits.Files {
			if err := os.Symlink("x", "/tmp/"+strconv.Itoa(i)); err != nil {
				fmt.Fprintln(os.Stderr, err)
				return 1
			}
		}
		time.Sleep(2 * time.Second) // until the parent has counted
		return 0
	})
	Register(limitProbes[LimitWallClock], func() int {
		time.Sleep(2 * time.Second)
		return 0
	})
}

// inspect reports what a program inside can see and do.
func inspect() int {
	seen := inspection{Environment: os.Environ(), Socket: "allowed", Unshare: "allowed"}
	fields := processStatus()
	seen.Capabilities = []string{fields["CapPrm"], fields["CapEff"], fields["CapBnd"], fields["CapAmb"]}
	seen.NoNewPrivs, seen.Seccomp = fields["NoNewPrivs"], fields["Seccomp"]
	userMap, _ := os.ReadFile("/proc/self/uid_map")
	seen.UserMap = strings.Fields(string(userMap))
	devices, _ := os.ReadFile("/proc/net/dev")
	for line := range strings.Lines(string(devices)) {
		if name, _, found := strings.Cut(line, ":"); found {
			seen.Interfaces = append(seen.Interfaces, strings.TrimSpace(name))
		}
	}
	if _, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM, 0); err != nil {
		seen.Socket = err.Error()
	}
	root, _ := os.ReadDir("/")
	for _, entry := range root {
		seen.Root = append(seen.Root, entry.Name())
	}
	if err := os.Mkdir("/.astrolabe-probe", 0o700); err != nil {
		seen.Write = err.Error()
	} else {
		_ = os.Remove("/.astrolabe-probe")
	}
	processes, _ := os.ReadDir("/proc")
	for _, entry := range processes {
		if _, err := strconv.Atoi(entry.Name()); err == nil {
			seen.Processes++
		}
	}
	// Processes with several threads may not change their user namespace: EINVAL without a filter.
	if err := unix.Unshare(unix.CLONE_NEWUSER); err != nil {
		seen.Unshare = err.Error()
	}
	if err := json.NewEncoder(os.Stdout).Encode(seen); err != nil {
		return 1
	}
	return 0
}

// processStatus returns the fields of /proc/self/status.
func processStatus() map[string]string {
	fields := map[string]string{}
	text, _ := os.ReadFile("/proc/self/status")
	for line := range strings.Lines(string(text)) {
		name, value, _ := strings.Cut(line, ":")
		fields[name] = strings.TrimSpace(value)
	}
	return fields
}

// forkPastLimit starts more processes than the limit allows.
func forkPastLimit() int {
	for range probeLimits.Processes + 8 {
		if err := forkIdle(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
	}
	return 0
}

// forkIdle starts a process that only waits.
//
//go:norace
func forkIdle() error {
	id, _, failure := syscall.RawSyscall6(unix.SYS_CLONE, uintptr(unix.SIGCHLD), 0, 0, 0, 0, 0)
	if failure != 0 {
		return failure
	}
	for id == 0 {
		// The copy of this process has no other threads, so it must not use the runtime.
		_, _, _ = syscall.RawSyscall6(unix.SYS_PPOLL, 0, 0, 0, 0, 0, 0)
	}
	return nil
}
