//go:build !linux

package pg

// freeSpace is only known on Linux.
func freeSpace(string) (uint64, bool) { return 0, false }
