package relay

import "golang.org/x/sys/unix"

// forbidCoreDumps keeps the memory of this process out of files: neither a crash nor
// another process of the same user can copy it.
func forbidCoreDumps() error {
	if err := unix.Setrlimit(unix.RLIMIT_CORE, &unix.Rlimit{}); err != nil {
		return err
	}
	return unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0)
}
