//go:build !linux

package relay

import "golang.org/x/sys/unix"

// forbidCoreDumps keeps the memory of this process out of files when it crashes.
func forbidCoreDumps() error { return unix.Setrlimit(unix.RLIMIT_CORE, &unix.Rlimit{}) }
